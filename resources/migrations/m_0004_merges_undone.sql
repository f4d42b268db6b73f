-- Which merge brought credit and names from elsewhere, so that they can be taken back with it.

ALTER TABLE foreign_episode ADD COLUMN brought_by INTEGER;
ALTER TABLE item_alias ADD COLUMN brought_by INTEGER;
