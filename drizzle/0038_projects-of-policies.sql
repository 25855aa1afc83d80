ALTER TABLE "policies" DROP CONSTRAINT "policies_name_key";--> statement-breakpoint
ALTER TABLE "security_groups" DROP CONSTRAINT "security_groups_name_key";--> statement-breakpoint
ALTER TABLE "residual_rules" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_name_key" UNIQUE NULLS NOT DISTINCT("tenant_id","project_id","name");--> statement-breakpoint
ALTER TABLE "security_groups" ADD CONSTRAINT "security_groups_name_key" UNIQUE NULLS NOT DISTINCT("tenant_id","project_id","name");