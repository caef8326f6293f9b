"""Games side by side for those who learn: batches, and environments of Gymnasium, PettingZoo and OpenSpiel."""
