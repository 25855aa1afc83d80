CREATE TABLE "forwarding_destinations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"streams" text[] NOT NULL,
	"max_wait_hours" integer NOT NULL,
	"ca_certificates" text,
	"host" text,
	"port" integer,
	"transport" text,
	"max_message_bytes" integer,
	"url_origin" text,
	"url_encrypted" text,
	"header_name" text,
	"header_value_encrypted" text,
	"secret_key_id" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "forwarding_destinations_name_key" UNIQUE("name"),
	CONSTRAINT "forwarding_destinations_kind" CHECK ("forwarding_destinations"."kind" in ('syslog', 'json', 'http')),
	CONSTRAINT "forwarding_destinations_streams" CHECK (cardinality("forwarding_destinations"."streams") > 0),
	CONSTRAINT "forwarding_destinations_socket" CHECK (("forwarding_destinations"."kind" = 'http') = ("forwarding_destinations"."host" is null) and ("forwarding_destinations"."host" is null) = ("forwarding_destinations"."port" is null)
        and ("forwarding_destinations"."host" is null) = ("forwarding_destinations"."transport" is null)),
	CONSTRAINT "forwarding_destinations_syslog" CHECK (("forwarding_destinations"."kind" = 'syslog') = ("forwarding_destinations"."max_message_bytes" is not null)),
	CONSTRAINT "forwarding_destinations_http" CHECK (("forwarding_destinations"."kind" = 'http') = ("forwarding_destinations"."url_encrypted" is not null and "forwarding_destinations"."url_origin" is not null
        and "forwarding_destinations"."header_name" is not null and "forwarding_destinations"."secret_key_id" is not null)
        and ("forwarding_destinations"."header_value_encrypted" is null or "forwarding_destinations"."kind" = 'http'))
);
--> statement-breakpoint
CREATE TABLE "forwarding_streams" (
	"destination_id" uuid NOT NULL,
	"stream" text NOT NULL,
	"position" jsonb NOT NULL,
	"sent" bigint DEFAULT 0 NOT NULL,
	"lost" bigint DEFAULT 0 NOT NULL,
	"is_lost_exact" boolean DEFAULT true NOT NULL,
	"last_lost_at" timestamp with time zone,
	"shortened" bigint DEFAULT 0 NOT NULL,
	"waiting" bigint DEFAULT 0 NOT NULL,
	"last_sent_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"last_failed_at" timestamp with time zone,
	"next_attempt_at" timestamp with time zone,
	CONSTRAINT "forwarding_streams_destination_id_stream_pk" PRIMARY KEY("destination_id","stream"),
	CONSTRAINT "forwarding_streams_stream" CHECK ("forwarding_streams"."stream" in ('audit', 'conversations'))
);
--> statement-breakpoint
ALTER TABLE "forwarding_destinations" ADD CONSTRAINT "forwarding_destinations_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "forwarding_streams" ADD CONSTRAINT "forwarding_streams_destination_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."forwarding_destinations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "traffic_conversations_updated_idx" ON "traffic_conversations" USING brin ("updated_at") WITH (pages_per_range=32,autosummarize=true);