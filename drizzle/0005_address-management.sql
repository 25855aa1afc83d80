-- A gateway outside its subnet was never right; the constraint below would refuse it.
UPDATE "subnets" SET "gateway" = NULL WHERE NOT "gateway" <<= "cidr";--> statement-breakpoint
CREATE TABLE "ip_address_history" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"cluster_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"address" "inet" NOT NULL,
	"workload_id" uuid,
	"workload_name" text NOT NULL,
	"workload_external_id" text NOT NULL,
	"interface_name" text,
	"mac" "macaddr",
	"source" text NOT NULL,
	"from_at" timestamp with time zone NOT NULL,
	"until_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "ip_ranges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"network_id" uuid NOT NULL,
	"subnet_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"first_address" "inet" NOT NULL,
	"last_address" "inet" NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ip_ranges_kind" CHECK ("ip_ranges"."kind" in ('dhcp', 'reserved')),
	CONSTRAINT "ip_ranges_family" CHECK (family("ip_ranges"."first_address") = family("ip_ranges"."last_address")),
	CONSTRAINT "ip_ranges_order" CHECK ("ip_ranges"."first_address" <= "ip_ranges"."last_address"),
	CONSTRAINT "ip_ranges_host" CHECK (masklen("ip_ranges"."first_address") = case family("ip_ranges"."first_address") when 4 then 32 else 128 end
        and masklen("ip_ranges"."last_address") = case family("ip_ranges"."last_address") when 4 then 32 else 128 end)
);
--> statement-breakpoint
CREATE TABLE "ipam_conflicts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"ip_address_id" uuid,
	"network_id" uuid,
	"address" "inet",
	"mac" "macaddr",
	"workload_id" uuid,
	"interface_name" text,
	"other_workload_id" uuid,
	"other_interface_name" text,
	"other_mac" "macaddr",
	"other_source" text,
	"state_before" text,
	"status" text DEFAULT 'open' NOT NULL,
	"resolution" text,
	"note" text DEFAULT '' NOT NULL,
	"resolved_at" timestamp with time zone,
	"resolved_by_name" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ipam_conflicts_key" UNIQUE("cluster_id","kind","key"),
	CONSTRAINT "ipam_conflicts_kind" CHECK ("ipam_conflicts"."kind" in ('duplicate_address', 'duplicate_mac', 'outside_subnet', 'reserved_in_use')),
	CONSTRAINT "ipam_conflicts_status" CHECK ("ipam_conflicts"."status" in ('open', 'resolved', 'gone')),
	CONSTRAINT "ipam_conflicts_resolution" CHECK (("ipam_conflicts"."status" = 'resolved') = ("ipam_conflicts"."resolution" is not null)),
	CONSTRAINT "ipam_conflicts_resolutions" CHECK ("ipam_conflicts"."resolution" in ('keep', 'assign', 'dismiss'))
);
--> statement-breakpoint
CREATE TABLE "ipam_imports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"mode" text NOT NULL,
	"dry_run" boolean DEFAULT false NOT NULL,
	"file_name" text DEFAULT '' NOT NULL,
	"content" text NOT NULL,
	"sha256" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"stage" text,
	"progress_done" integer DEFAULT 0 NOT NULL,
	"progress_total" integer,
	"rows_total" integer,
	"rows_bad" integer,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"errors_total" integer DEFAULT 0 NOT NULL,
	"message" text,
	"requested_by" uuid,
	"requested_by_name" text NOT NULL,
	"lease_owner" text,
	"lease_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "ipam_imports_kind" CHECK ("ipam_imports"."kind" in ('addresses', 'subnets')),
	CONSTRAINT "ipam_imports_mode" CHECK ("ipam_imports"."mode" in ('atomic', 'skip_bad')),
	CONSTRAINT "ipam_imports_status" CHECK ("ipam_imports"."status" in ('queued', 'running', 'ok', 'failed')),
	CONSTRAINT "ipam_imports_finished" CHECK (("ipam_imports"."finished_at" is not null) = ("ipam_imports"."status" in ('ok', 'failed')))
);
--> statement-breakpoint
ALTER TABLE "subnets" DROP CONSTRAINT "subnets_gateway_family";--> statement-breakpoint
DROP INDEX "ip_addresses_subnet_idx";--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "first_seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "subnets" ADD COLUMN "vlan_tag" integer;--> statement-breakpoint
ALTER TABLE "ip_address_history" ADD CONSTRAINT "ip_address_history_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_address_history" ADD CONSTRAINT "ip_address_history_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_address_history" ADD CONSTRAINT "ip_address_history_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_ranges" ADD CONSTRAINT "ip_ranges_subnet_fk" FOREIGN KEY ("subnet_id","network_id") REFERENCES "public"."subnets"("id","network_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD CONSTRAINT "ipam_conflicts_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD CONSTRAINT "ipam_conflicts_ip_address_id_ip_addresses_id_fk" FOREIGN KEY ("ip_address_id") REFERENCES "public"."ip_addresses"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD CONSTRAINT "ipam_conflicts_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD CONSTRAINT "ipam_conflicts_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ipam_conflicts" ADD CONSTRAINT "ipam_conflicts_other_workload_id_workloads_id_fk" FOREIGN KEY ("other_workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ip_address_history_address_idx" ON "ip_address_history" USING btree ("network_id","address","from_at");--> statement-breakpoint
CREATE INDEX "ip_address_history_workload_idx" ON "ip_address_history" USING btree ("workload_id","from_at");--> statement-breakpoint
CREATE UNIQUE INDEX "ip_address_history_one_open" ON "ip_address_history" USING btree ("network_id","address") WHERE until_at is null;--> statement-breakpoint
CREATE INDEX "ip_ranges_subnet_idx" ON "ip_ranges" USING btree ("subnet_id","first_address");--> statement-breakpoint
CREATE INDEX "ipam_conflicts_status_idx" ON "ipam_conflicts" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "ipam_conflicts_address_idx" ON "ipam_conflicts" USING btree ("ip_address_id");--> statement-breakpoint
CREATE INDEX "ipam_conflicts_workload_idx" ON "ipam_conflicts" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "ipam_conflicts_other_idx" ON "ipam_conflicts" USING btree ("other_workload_id");--> statement-breakpoint
CREATE INDEX "ipam_imports_status_idx" ON "ipam_imports" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "ip_addresses_text_idx" ON "ip_addresses" USING btree (host("address") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "ip_addresses_mac_idx" ON "ip_addresses" USING btree ("mac");--> statement-breakpoint
CREATE INDEX "ip_addresses_subnet_idx" ON "ip_addresses" USING btree ("subnet_id","address","state");--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_gateway_inside" CHECK ("subnets"."gateway" is null or "subnets"."gateway" <<= "subnets"."cidr");--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_gateway_host" CHECK ("subnets"."gateway" is null or masklen("subnets"."gateway") = case family("subnets"."gateway") when 4 then 32 else 128 end);--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_vlan" CHECK ("subnets"."vlan_tag" between 1 and 4094);
--> statement-breakpoint
-- Who held an address, from when to when: written here so that no way of changing an address is left out, the ones by
-- foreign keys included. A stale address is held by nobody.
CREATE FUNCTION open_address_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ip_address_history (cluster_id, network_id, address, workload_id, workload_name, workload_external_id,
    interface_name, mac, source, from_at)
  SELECT n.cluster_id, n.network_id, n.address, n.workload_id, w.name, w.external_id, i.name, n.mac, n.source, now()
  FROM new_rows n JOIN workloads w ON w.id = n.workload_id LEFT JOIN workload_interfaces i ON i.id = n.interface_id
  WHERE n.state <> 'stale';
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION close_address_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ip_address_history h SET until_at = greatest(now(), h.from_at)
  FROM old_rows o
  WHERE h.network_id = o.network_id AND h.address = o.address AND h.until_at IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION turn_address_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ip_address_history h SET until_at = greatest(now(), h.from_at)
  FROM old_rows o JOIN new_rows n ON n.id = o.id
  WHERE h.network_id = o.network_id AND h.address = o.address AND h.until_at IS NULL
    AND (n.network_id <> o.network_id OR n.address <> o.address OR n.workload_id IS DISTINCT FROM o.workload_id
      OR (n.state = 'stale') <> (o.state = 'stale'));
  INSERT INTO ip_address_history (cluster_id, network_id, address, workload_id, workload_name, workload_external_id,
    interface_name, mac, source, from_at)
  SELECT n.cluster_id, n.network_id, n.address, n.workload_id, w.name, w.external_id, i.name, n.mac, n.source, now()
  FROM new_rows n JOIN old_rows o ON o.id = n.id JOIN workloads w ON w.id = n.workload_id
    LEFT JOIN workload_interfaces i ON i.id = n.interface_id
  WHERE n.state <> 'stale'
    AND (n.network_id <> o.network_id OR n.address <> o.address OR n.workload_id IS DISTINCT FROM o.workload_id
      OR o.state = 'stale');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ip_addresses_history_open AFTER INSERT ON ip_addresses REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION open_address_history();
--> statement-breakpoint
CREATE TRIGGER ip_addresses_history_turn AFTER UPDATE ON ip_addresses REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION turn_address_history();
--> statement-breakpoint
CREATE TRIGGER ip_addresses_history_close AFTER DELETE ON ip_addresses REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION close_address_history();
--> statement-breakpoint
INSERT INTO ip_address_history (cluster_id, network_id, address, workload_id, workload_name, workload_external_id,
  interface_name, mac, source, from_at)
SELECT a.cluster_id, a.network_id, a.address, a.workload_id, w.name, w.external_id, i.name, a.mac, a.source, a.created_at
FROM ip_addresses a JOIN workloads w ON w.id = a.workload_id LEFT JOIN workload_interfaces i ON i.id = a.interface_id
WHERE a.state <> 'stale';
