CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"window_start" timestamp with time zone NOT NULL,
	"hits" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"family_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"user_agent" text,
	"source_address" "inet",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"rotated_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "refresh_tokens_hash_key" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "role_assignments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"role_id" uuid NOT NULL,
	"tenant_id" uuid,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "role_assignments_once" UNIQUE NULLS NOT DISTINCT("user_id","role_id","tenant_id")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"title" text NOT NULL,
	"permissions" text[] DEFAULT '{}' NOT NULL,
	"built_in" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_name_key" UNIQUE("name"),
	CONSTRAINT "roles_name_form" CHECK ("roles"."name" ~ '^[a-z][a-z0-9_]{1,62}$')
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"password_hash" text NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"failed_logins" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp with time zone,
	"last_login_at" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_key" UNIQUE("email"),
	CONSTRAINT "users_email_normal" CHECK ("users"."email" = lower(btrim("users"."email")) and "users"."email" <> '')
);
--> statement-breakpoint
CREATE TABLE "ip_addresses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"subnet_id" uuid NOT NULL,
	"address" "inet" NOT NULL,
	"workload_id" uuid,
	"interface_id" uuid,
	"mac" "macaddr",
	"hostname" text,
	"description" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"source" text NOT NULL,
	"last_seen_at" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ip_addresses_key" UNIQUE("cluster_id","network_id","address"),
	CONSTRAINT "ip_addresses_host" CHECK (masklen("ip_addresses"."address") = case family("ip_addresses"."address") when 4 then 32 else 128 end),
	CONSTRAINT "ip_addresses_state" CHECK ("ip_addresses"."state" in ('active', 'reserved', 'dhcp', 'stale', 'conflict')),
	CONSTRAINT "ip_addresses_source" CHECK ("ip_addresses"."source" in ('agent', 'sdn', 'config', 'cloudinit', 'manual'))
);
--> statement-breakpoint
CREATE TABLE "clusters" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"api_url" text NOT NULL,
	"tls_fingerprint" text,
	"tls_ca" text,
	"api_token_encrypted" text,
	"api_token_key_id" text,
	"rule_placement" text DEFAULT 'above' NOT NULL,
	"entry_points" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"provider_version" text,
	"provider_name" text,
	"quorate" boolean,
	"firewall_enabled" boolean,
	"sync_status" text DEFAULT 'never' NOT NULL,
	"last_sync_at" timestamp with time zone,
	"last_sync_error" text,
	"last_sync_error_code" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "clusters_name_key" UNIQUE("name"),
	CONSTRAINT "clusters_sync_status" CHECK ("clusters"."sync_status" in ('never', 'queued', 'running', 'ok', 'failed')),
	CONSTRAINT "clusters_rule_placement" CHECK ("clusters"."rule_placement" in ('above', 'below')),
	CONSTRAINT "clusters_api_url" CHECK ("clusters"."api_url" ~ '^https://'),
	CONSTRAINT "clusters_token_key" CHECK (("clusters"."api_token_encrypted" is null) = ("clusters"."api_token_key_id" is null))
);
--> statement-breakpoint
CREATE TABLE "node_agents" (
	"node_id" uuid PRIMARY KEY NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"agent_version" text,
	"machine_id" text,
	"token_hash" text,
	"last_heartbeat_at" timestamp with time zone,
	"clock_offset_ms" integer,
	"firewall_status" jsonb,
	"nftables_ruleset_hash" text,
	"payload" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "node_agents_token_key" UNIQUE("token_hash"),
	CONSTRAINT "node_agents_status" CHECK ("node_agents"."status" in ('pending', 'ok', 'degraded', 'silent'))
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'unknown' NOT NULL,
	"address" "inet",
	"provider_version" text,
	"nftables" boolean,
	"tls_fingerprint" text,
	"cpu_count" integer,
	"memory_bytes" bigint,
	"uptime_seconds" bigint,
	"fault" text,
	"missing_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "nodes_cluster_name_key" UNIQUE("cluster_id","name"),
	CONSTRAINT "nodes_status" CHECK ("nodes"."status" in ('online', 'offline', 'unknown'))
);
--> statement-breakpoint
CREATE TABLE "networks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"zone" text,
	"vlan_tag" integer,
	"vlan_aware" boolean,
	"alias" text,
	"description" text DEFAULT '' NOT NULL,
	"node_names" text[] DEFAULT '{}' NOT NULL,
	"source" text NOT NULL,
	"missing_since" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "networks_cluster_name_key" UNIQUE("cluster_id","name"),
	CONSTRAINT "networks_id_cluster_key" UNIQUE("id","cluster_id"),
	CONSTRAINT "networks_kind" CHECK ("networks"."kind" in ('bridge', 'ovs_bridge', 'vnet', 'discovered', 'manual')),
	CONSTRAINT "networks_source" CHECK ("networks"."source" in ('provider', 'discovery', 'manual')),
	CONSTRAINT "networks_vlan" CHECK ("networks"."vlan_tag" between 1 and 16777215)
);
--> statement-breakpoint
CREATE TABLE "subnets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"cidr" "cidr" NOT NULL,
	"gateway" "inet",
	"dns_servers" "inet"[] DEFAULT '{}' NOT NULL,
	"dhcp_enabled" boolean DEFAULT false NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"source" text NOT NULL,
	"missing_since" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subnets_network_cidr_key" UNIQUE("network_id","cidr"),
	CONSTRAINT "subnets_id_network_key" UNIQUE("id","network_id"),
	CONSTRAINT "subnets_gateway_family" CHECK ("subnets"."gateway" is null or family("subnets"."gateway") = family("subnets"."cidr")),
	CONSTRAINT "subnets_source" CHECK ("subnets"."source" in ('provider', 'discovery', 'manual'))
);
--> statement-breakpoint
CREATE TABLE "audit_records" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" uuid,
	"actor_name" text NOT NULL,
	"tenant_id" uuid,
	"action" text NOT NULL,
	"object_kind" text NOT NULL,
	"object_id" text,
	"object_name" text,
	"before" jsonb,
	"after" jsonb,
	"request_id" text,
	"source_address" "inet",
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sync_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"trigger" text NOT NULL,
	"requested_by" uuid,
	"stage" text,
	"progress_done" integer DEFAULT 0 NOT NULL,
	"progress_total" integer,
	"counters" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"lease_owner" text,
	"lease_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "sync_runs_kind" CHECK ("sync_runs"."kind" in ('inventory', 'ipam')),
	CONSTRAINT "sync_runs_status" CHECK ("sync_runs"."status" in ('queued', 'running', 'ok', 'failed')),
	CONSTRAINT "sync_runs_trigger" CHECK ("sync_runs"."trigger" in ('manual', 'auto', 'setup')),
	CONSTRAINT "sync_runs_finished" CHECK (("sync_runs"."finished_at" is not null) = ("sync_runs"."status" in ('ok', 'failed')))
);
--> statement-breakpoint
CREATE TABLE "system_settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deployments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"policy_id" uuid NOT NULL,
	"policy_version" integer NOT NULL,
	"cluster_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"plan" jsonb NOT NULL,
	"state_before" jsonb NOT NULL,
	"results" jsonb NOT NULL,
	"requested_by" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "deployments_kind" CHECK ("deployments"."kind" in ('apply', 'cleanup')),
	CONSTRAINT "deployments_status" CHECK ("deployments"."status" in ('queued', 'running', 'ok', 'partial', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "policies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"priority" integer DEFAULT 100 NOT NULL,
	"definition" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policies_name_key" UNIQUE NULLS NOT DISTINCT("tenant_id","name"),
	CONSTRAINT "policies_mode" CHECK ("policies"."definition" ->> 'enforcement_mode' in ('enforced', 'audit')),
	CONSTRAINT "policies_version" CHECK ("policies"."version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "policy_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"policy_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"snapshot" jsonb NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"author_id" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policy_versions_key" UNIQUE("policy_id","version")
);
--> statement-breakpoint
CREATE TABLE "security_group_members" (
	"security_group_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "security_group_members_pair" PRIMARY KEY("security_group_id","workload_id")
);
--> statement-breakpoint
CREATE TABLE "security_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "security_groups_name_key" UNIQUE NULLS NOT DISTINCT("tenant_id","name")
);
--> statement-breakpoint
CREATE TABLE "security_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"policy_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"action" text NOT NULL,
	"protocol" text NOT NULL,
	"destination_ports" text,
	"source_ports" text,
	"icmp_type" text,
	"log" text,
	"enabled" boolean DEFAULT true NOT NULL,
	"comment" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "security_rules_action" CHECK ("security_rules"."action" in ('accept', 'drop', 'reject')),
	CONSTRAINT "security_rules_protocol" CHECK ("security_rules"."protocol" in ('any', 'tcp', 'udp', 'tcp/udp', 'icmp', 'icmpv6', 'sctp')),
	CONSTRAINT "security_rules_position" CHECK ("security_rules"."position" >= 0)
);
--> statement-breakpoint
CREATE TABLE "workload_interfaces" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workload_id" uuid NOT NULL,
	"network_id" uuid,
	"name" text NOT NULL,
	"guest_name" text,
	"model" text,
	"mac" "macaddr",
	"bridge" text,
	"vlan_tag" integer,
	"trunks" text,
	"firewall" boolean NOT NULL,
	"link_down" boolean DEFAULT false NOT NULL,
	"mtu" integer,
	"rate_mbytes" text,
	"ip_config" jsonb,
	"pending" boolean DEFAULT false NOT NULL,
	"raw" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "workload_interfaces_name_key" UNIQUE("workload_id","name"),
	CONSTRAINT "workload_interfaces_vlan" CHECK ("workload_interfaces"."vlan_tag" between 1 and 4094),
	CONSTRAINT "workload_interfaces_name" CHECK ("workload_interfaces"."name" ~ '^net[0-9]+$')
);
--> statement-breakpoint
CREATE TABLE "workloads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cluster_id" uuid NOT NULL,
	"node_id" uuid,
	"project_id" uuid,
	"vmid" integer NOT NULL,
	"kind" text NOT NULL,
	"external_id" text NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'unknown' NOT NULL,
	"template" boolean DEFAULT false NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"pool" text,
	"lock" text,
	"ha_state" text,
	"creation_fingerprint" text,
	"config_digest" text,
	"config_read_at" timestamp with time zone,
	"cpu_count" integer,
	"memory_bytes" bigint,
	"uptime_seconds" bigint,
	"missing_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "workloads_cluster_vmid_key" UNIQUE("cluster_id","vmid"),
	CONSTRAINT "workloads_vmid" CHECK ("workloads"."vmid" between 100 and 999999999),
	CONSTRAINT "workloads_kind" CHECK ("workloads"."kind" in ('qemu', 'lxc')),
	CONSTRAINT "workloads_status" CHECK ("workloads"."status" in ('running', 'stopped', 'paused', 'suspended', 'unknown'))
);
--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_role_id_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."roles"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_interface_id_workload_interfaces_id_fk" FOREIGN KEY ("interface_id") REFERENCES "public"."workload_interfaces"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_subnet_fk" FOREIGN KEY ("subnet_id","network_id") REFERENCES "public"."subnets"("id","network_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "node_agents" ADD CONSTRAINT "node_agents_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "networks" ADD CONSTRAINT "networks_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_network_fk" FOREIGN KEY ("network_id","cluster_id") REFERENCES "public"."networks"("id","cluster_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sync_runs" ADD CONSTRAINT "sync_runs_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_requested_by_users_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_group_members" ADD CONSTRAINT "security_group_members_security_group_id_security_groups_id_fk" FOREIGN KEY ("security_group_id") REFERENCES "public"."security_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_group_members" ADD CONSTRAINT "security_group_members_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_groups" ADD CONSTRAINT "security_groups_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_rules" ADD CONSTRAINT "security_rules_policy_id_policies_id_fk" FOREIGN KEY ("policy_id") REFERENCES "public"."policies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workload_interfaces" ADD CONSTRAINT "workload_interfaces_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workload_interfaces" ADD CONSTRAINT "workload_interfaces_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workloads" ADD CONSTRAINT "workloads_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workloads" ADD CONSTRAINT "workloads_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workloads" ADD CONSTRAINT "workloads_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "projects_tenant_name_key" ON "projects" USING btree ("tenant_id",lower("name"));--> statement-breakpoint
CREATE INDEX "rate_limits_window_idx" ON "rate_limits" USING btree ("window_start");--> statement-breakpoint
CREATE INDEX "refresh_tokens_family_idx" ON "refresh_tokens" USING btree ("family_id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_user_idx" ON "refresh_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_expires_idx" ON "refresh_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "role_assignments_role_idx" ON "role_assignments" USING btree ("role_id");--> statement-breakpoint
CREATE INDEX "role_assignments_tenant_idx" ON "role_assignments" USING btree ("tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tenants_name_key" ON "tenants" USING btree (lower("name"));--> statement-breakpoint
CREATE INDEX "ip_addresses_subnet_idx" ON "ip_addresses" USING btree ("subnet_id");--> statement-breakpoint
CREATE INDEX "ip_addresses_workload_idx" ON "ip_addresses" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "ip_addresses_address_idx" ON "ip_addresses" USING gist ("address" inet_ops);--> statement-breakpoint
CREATE INDEX "subnets_cidr_idx" ON "subnets" USING gist ("cidr" inet_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "audit_records_id_key" ON "audit_records" USING btree ("id");--> statement-breakpoint
CREATE INDEX "audit_records_at_idx" ON "audit_records" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_records_object_idx" ON "audit_records" USING btree ("object_kind","object_id","seq");--> statement-breakpoint
CREATE INDEX "audit_records_actor_idx" ON "audit_records" USING btree ("actor_id","seq");--> statement-breakpoint
CREATE INDEX "audit_records_tenant_idx" ON "audit_records" USING btree ("tenant_id","seq");--> statement-breakpoint
CREATE UNIQUE INDEX "sync_runs_one_active" ON "sync_runs" USING btree ("cluster_id","kind") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "sync_runs_cluster_idx" ON "sync_runs" USING btree ("cluster_id","created_at");--> statement-breakpoint
CREATE INDEX "deployments_policy_idx" ON "deployments" USING btree ("policy_id","cluster_id","created_at");--> statement-breakpoint
CREATE INDEX "deployments_cluster_idx" ON "deployments" USING btree ("cluster_id");--> statement-breakpoint
CREATE INDEX "security_group_members_workload_idx" ON "security_group_members" USING btree ("workload_id");--> statement-breakpoint
CREATE UNIQUE INDEX "security_rules_position_key" ON "security_rules" USING btree ("policy_id","position");--> statement-breakpoint
CREATE INDEX "workload_interfaces_mac_idx" ON "workload_interfaces" USING btree ("mac");--> statement-breakpoint
CREATE INDEX "workload_interfaces_network_idx" ON "workload_interfaces" USING btree ("network_id");--> statement-breakpoint
CREATE INDEX "workloads_node_idx" ON "workloads" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "workloads_project_idx" ON "workloads" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "workloads_name_idx" ON "workloads" USING btree ("name");--> statement-breakpoint
CREATE INDEX "workloads_tags_idx" ON "workloads" USING gin ("tags");