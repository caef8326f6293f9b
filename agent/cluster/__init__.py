"""Many machines: a cluster of Ray, on which processes of Ludens play, search and learn together."""
