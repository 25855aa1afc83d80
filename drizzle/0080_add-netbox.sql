CREATE TABLE "netbox_objects" (
	"source_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"netbox_id" bigint NOT NULL,
	"network_id" uuid NOT NULL,
	"name" text NOT NULL,
	"written" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "netbox_objects_key" PRIMARY KEY("source_id","kind","netbox_id"),
	CONSTRAINT "netbox_objects_kind" CHECK ("netbox_objects"."kind" in ('prefix', 'address'))
);
--> statement-breakpoint
CREATE TABLE "netbox_sources" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"token_encrypted" text NOT NULL,
	"secret_key_id" text NOT NULL,
	"ca_certificates" text,
	"filter_tenant" text,
	"filter_tag" text,
	"networks" jsonb NOT NULL,
	"tenants" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"groups" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"last_import_at" timestamp with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "netbox_sources_name_key" UNIQUE("name"),
	CONSTRAINT "netbox_sources_url" CHECK ("netbox_sources"."url" ~ '^https?://')
);
--> statement-breakpoint
ALTER TABLE "ipam_imports" DROP CONSTRAINT "ipam_imports_kind";--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "netbox_source_id" uuid;--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "conflicts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "overwrite" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "overwrite_all" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "netbox_objects" ADD CONSTRAINT "netbox_objects_source_fk" FOREIGN KEY ("source_id") REFERENCES "public"."netbox_sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "netbox_objects" ADD CONSTRAINT "netbox_objects_network_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "netbox_objects_network_idx" ON "netbox_objects" USING btree ("network_id");--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD CONSTRAINT "ipam_imports_netbox_source_id_netbox_sources_id_fk" FOREIGN KEY ("netbox_source_id") REFERENCES "public"."netbox_sources"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ipam_imports_source_idx" ON "ipam_imports" USING btree ("netbox_source_id");--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD CONSTRAINT "ipam_imports_kind" CHECK ("ipam_imports"."kind" in ('addresses', 'subnets', 'netbox'));