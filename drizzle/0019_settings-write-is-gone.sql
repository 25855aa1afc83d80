-- The permission never gave anything: settings are changed by super administrators.
UPDATE "roles" SET "permissions" = array_remove("permissions", 'settings:write') WHERE 'settings:write' = ANY ("permissions");
--> statement-breakpoint
DELETE FROM "api_tokens" WHERE "permissions" = ARRAY['settings:write'];
--> statement-breakpoint
UPDATE "api_tokens" SET "permissions" = array_remove("permissions", 'settings:write') WHERE 'settings:write' = ANY ("permissions");
