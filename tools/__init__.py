"""Tools of the maintainers: translations, pictures of the documentation."""
