"""What several notebooks use: texts, records, drawings, code shown as a page, checks of answers."""
