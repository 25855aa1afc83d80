CREATE TABLE "address_sightings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"nic" text NOT NULL,
	"network_id" uuid,
	"vlan_tag" integer,
	"address" "inet" NOT NULL,
	"mac" "macaddr",
	"source" text NOT NULL,
	"seen_on" text,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "address_sightings_source" CHECK ("address_sightings"."source" in ('agent', 'sdn', 'config', 'cloudinit', 'traffic')),
	CONSTRAINT "address_sightings_times" CHECK ("address_sightings"."first_seen_at" <= "address_sightings"."last_seen_at")
);
--> statement-breakpoint
ALTER TABLE "ipam_conflicts" DROP CONSTRAINT "ipam_conflicts_kind";--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD COLUMN "began_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD COLUMN "evidence_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "address_sightings" ADD CONSTRAINT "address_sightings_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_sightings" ADD CONSTRAINT "address_sightings_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_sightings" ADD CONSTRAINT "address_sightings_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "address_sightings_open" ON "address_sightings" USING btree ("workload_id","nic","address","source") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "address_sightings_workload_idx" ON "address_sightings" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "address_sightings_cluster_idx" ON "address_sightings" USING btree ("cluster_id","address");--> statement-breakpoint
CREATE INDEX "address_sightings_address_idx" ON "address_sightings" USING btree ("address");--> statement-breakpoint
CREATE INDEX "address_sightings_mac_idx" ON "address_sightings" USING btree ("mac");--> statement-breakpoint
CREATE INDEX "address_sightings_network_idx" ON "address_sightings" USING btree ("network_id");--> statement-breakpoint
CREATE INDEX "address_sightings_seen_idx" ON "address_sightings" USING btree ("last_seen_at");--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD CONSTRAINT "ipam_conflicts_reason" CHECK ("ipam_conflicts"."reason" in ('held', 'registered', 'ip_filter'));--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD CONSTRAINT "ipam_conflicts_kind" CHECK ("ipam_conflicts"."kind" in ('duplicate_address', 'duplicate_mac', 'outside_subnet', 'reserved_in_use', 'moved_address',
        'spoofed_address', 'stale_address', 'unmanaged_address'));--> statement-breakpoint
SELECT track_history('ipam_conflicts', '{id}', 'created_at', '{updated_at,evidence_at}', '{}');
