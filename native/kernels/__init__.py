"""Who plays the random games of a search: machines, or kernels that take leaves in batches."""
