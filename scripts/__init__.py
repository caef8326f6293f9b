"""Programs that verify and measure; each is run as `python -m scripts.FOLDER.NAME`, and `--help` says how."""
