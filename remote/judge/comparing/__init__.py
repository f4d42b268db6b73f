"""When a result is right: the checks in their order, the rules, the numbers and the place of an error."""
