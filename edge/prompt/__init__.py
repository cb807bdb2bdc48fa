"""What the model sees: budget, window and composition; pure code over token ids."""
