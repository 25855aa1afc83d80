ALTER TABLE "traffic_flows" ADD COLUMN "reported_bytes" bigint;--> statement-breakpoint
ALTER TABLE "traffic_flows" ADD COLUMN "reported_packets" bigint;