"""What everything may use: errors, array types, and work in a child process."""
