ALTER TABLE "escaped_conversations" ADD COLUMN "broken_detail" text;--> statement-breakpoint
ALTER TABLE "escaped_conversations" ADD COLUMN "policy_id" uuid;--> statement-breakpoint
ALTER TABLE "escaped_conversations" ADD COLUMN "peer_workload_id" uuid;