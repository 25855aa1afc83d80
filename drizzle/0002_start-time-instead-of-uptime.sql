ALTER TABLE "nodes" ADD COLUMN "started_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "workloads" ADD COLUMN "started_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "nodes" DROP COLUMN "uptime_seconds";--> statement-breakpoint
ALTER TABLE "workloads" DROP COLUMN "uptime_seconds";