"""Pure functions of a report: what people and CI systems read."""
