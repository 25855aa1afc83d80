CREATE TABLE "hypervisor_edits" (
	"cluster_id" uuid NOT NULL,
	"object" text NOT NULL,
	"vmid" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"user_name" text NOT NULL,
	CONSTRAINT "hypervisor_edits_cluster_id_object_vmid_at_user_name_pk" PRIMARY KEY("cluster_id","object","vmid","at","user_name"),
	CONSTRAINT "hypervisor_edits_object" CHECK ("hypervisor_edits"."object" in ('guest_firewall', 'guest_config', 'cluster_firewall'))
);
--> statement-breakpoint
ALTER TABLE "drifts" ADD COLUMN "unchanged_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "drifts" ADD COLUMN "changed_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "hypervisor_edits" ADD CONSTRAINT "hypervisor_edits_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hypervisor_edits_at_idx" ON "hypervisor_edits" USING btree ("at");