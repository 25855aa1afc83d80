CREATE TABLE "ldap_settings" (
	"id" text PRIMARY KEY DEFAULT 'ldap' NOT NULL,
	"enabled" boolean NOT NULL,
	"urls" text[] NOT NULL,
	"security" text NOT NULL,
	"ca_certificate" text,
	"bind_dn" text NOT NULL,
	"bind_password_encrypted" text NOT NULL,
	"bind_password_key_id" text NOT NULL,
	"base_dn" text NOT NULL,
	"user_filter" text NOT NULL,
	"id_attribute" text NOT NULL,
	"name_attribute" text NOT NULL,
	"email_attribute" text NOT NULL,
	"group_source" text NOT NULL,
	"group_base_dn" text NOT NULL,
	"group_filter" text NOT NULL,
	"nested_groups" boolean NOT NULL,
	"disabled_filter" text,
	"require_group" boolean NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ldap_settings_one" CHECK ("ldap_settings"."id" = 'ldap'),
	CONSTRAINT "ldap_settings_security" CHECK ("ldap_settings"."security" in ('ldaps', 'starttls', 'none')),
	CONSTRAINT "ldap_settings_group_source" CHECK ("ldap_settings"."group_source" in ('member_of', 'search'))
);
--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" DROP CONSTRAINT "oidc_role_mappings_once";--> statement-breakpoint
ALTER TABLE "refresh_tokens" DROP CONSTRAINT "refresh_tokens_method";--> statement-breakpoint
ALTER TABLE "role_assignments" DROP CONSTRAINT "role_assignments_source";--> statement-breakpoint
ALTER TABLE "sign_in_challenges" DROP CONSTRAINT "sign_in_challenges_method";--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" ADD COLUMN "provider" text DEFAULT 'oidc' NOT NULL;--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" ADD CONSTRAINT "oidc_role_mappings_once" UNIQUE NULLS NOT DISTINCT("provider","group_name","role_id","tenant_id","project_id");--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" ADD CONSTRAINT "oidc_role_mappings_provider" CHECK ("oidc_role_mappings"."provider" in ('oidc', 'ldap'));--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_method" CHECK ("refresh_tokens"."method" in ('password', 'oidc', 'ldap'));--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_source" CHECK ("role_assignments"."source" in ('manual', 'oidc', 'ldap'));--> statement-breakpoint
ALTER TABLE "sign_in_challenges" ADD CONSTRAINT "sign_in_challenges_method" CHECK ("sign_in_challenges"."method" in ('password', 'oidc', 'ldap'));