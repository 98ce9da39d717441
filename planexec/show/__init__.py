"""A run made visible: as text, and in pictures. Reads journals and results; decides and computes nothing."""
