"""How work is spread over threads, processes or a cluster: for parts of one estimate, and for many estimates."""
