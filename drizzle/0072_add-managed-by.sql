ALTER TABLE "changes" ADD COLUMN "managed_by" jsonb;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "managed_by" jsonb;--> statement-breakpoint
ALTER TABLE "security_groups" ADD COLUMN "managed_by" jsonb;--> statement-breakpoint
ALTER TABLE "policy_tests" ADD COLUMN "managed_by" jsonb;--> statement-breakpoint
SELECT track_history('policies', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('security_groups', '{id}', 'created_at', '{updated_at}', '{}');
