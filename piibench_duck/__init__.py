"""piibench-duck: how well a detector finds personal data in the text that really leaves a machine."""
