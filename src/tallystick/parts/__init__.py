"""What several audits are made of, or one that is too large for one file: records, rows and their tallies."""
