CREATE TABLE "cluster_firewall_snapshots" (
	"cluster_id" uuid PRIMARY KEY NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	"state_hash" text NOT NULL,
	"state" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "guest_firewall_snapshots" (
	"workload_id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	"state_hash" text NOT NULL,
	"state" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "destination_ports" SET DATA TYPE text[] USING string_to_array(coalesce("destination_ports", ''), ',');--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "destination_ports" SET DEFAULT '{}';--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "destination_ports" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "source_ports" SET DATA TYPE text[] USING string_to_array(coalesce("source_ports", ''), ',');--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "source_ports" SET DEFAULT '{}';--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "source_ports" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "log" SET DEFAULT 'nolog';--> statement-breakpoint
UPDATE "security_rules" SET "log" = 'nolog' WHERE "log" IS NULL;--> statement-breakpoint
ALTER TABLE "security_rules" ALTER COLUMN "log" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "security_groups" ADD COLUMN "member_tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "security_groups" ADD COLUMN "member_tags_match" text DEFAULT 'any' NOT NULL;--> statement-breakpoint
ALTER TABLE "cluster_firewall_snapshots" ADD CONSTRAINT "cluster_firewall_snapshots_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guest_firewall_snapshots" ADD CONSTRAINT "guest_firewall_snapshots_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guest_firewall_snapshots" ADD CONSTRAINT "guest_firewall_snapshots_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "guest_firewall_snapshots_cluster_idx" ON "guest_firewall_snapshots" USING btree ("cluster_id");--> statement-breakpoint
ALTER TABLE "security_groups" ADD CONSTRAINT "security_groups_match" CHECK ("security_groups"."member_tags_match" in ('any', 'all'));