DROP INDEX "traffic_conversations_denied_idx";--> statement-breakpoint
DROP INDEX "traffic_conversations_long_idx";--> statement-breakpoint
ALTER TABLE "traffic_conversations" drop column "is_long";--> statement-breakpoint
ALTER TABLE "traffic_conversations" ADD COLUMN "is_long" boolean GENERATED ALWAYS AS (last_seen_at - first_seen_at > '5 minutes'::interval) STORED;--> statement-breakpoint
CREATE INDEX "traffic_conversations_denied_idx" ON "traffic_conversations" USING btree ("seen_slot","client_workload_id","server_workload_id","service_port") WHERE action in ('dropped', 'rejected');--> statement-breakpoint
CREATE INDEX "traffic_conversations_long_idx" ON "traffic_conversations" USING gist (tstzrange(least(first_seen_at, seen_slot), seen_slot, '[]')) WHERE is_long;