"""Models an agent can ask: simulated, scripted, or any chat-completions endpoint."""
