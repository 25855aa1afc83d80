ALTER TABLE "node_agents" ADD COLUMN "confirmed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "confirmed_from" timestamp with time zone;