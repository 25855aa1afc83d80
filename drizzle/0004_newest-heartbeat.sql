ALTER TABLE "node_agents" ADD COLUMN "last_boot_id" uuid;--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "last_sequence" bigint;--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "last_sent_at" timestamp with time zone;