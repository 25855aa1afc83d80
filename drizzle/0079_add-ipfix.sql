CREATE TABLE "forwarding_exports" (
	"destination_id" uuid NOT NULL,
	"conversation_id" uuid NOT NULL,
	"flow_key" uuid NOT NULL,
	"low_bytes" bigint NOT NULL,
	"low_packets" bigint NOT NULL,
	"high_bytes" bigint NOT NULL,
	"high_packets" bigint NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"exported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "forwarding_exports_destination_id_conversation_id_pk" PRIMARY KEY("destination_id","conversation_id")
);
--> statement-breakpoint
ALTER TABLE "forwarding_destinations" DROP CONSTRAINT "forwarding_destinations_syslog";--> statement-breakpoint
ALTER TABLE "forwarding_destinations" DROP CONSTRAINT "forwarding_destinations_kind";--> statement-breakpoint
ALTER TABLE "forwarding_destinations" DROP CONSTRAINT "forwarding_destinations_socket";--> statement-breakpoint
ALTER TABLE "forwarding_streams" ADD COLUMN "sequences" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "forwarding_exports" ADD CONSTRAINT "forwarding_exports_destination_fk" FOREIGN KEY ("destination_id") REFERENCES "public"."forwarding_destinations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "forwarding_exports_key_idx" ON "forwarding_exports" USING btree ("destination_id","flow_key");--> statement-breakpoint
CREATE INDEX "forwarding_exports_exported_idx" ON "forwarding_exports" USING brin ("exported_at") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
ALTER TABLE "forwarding_destinations" ADD CONSTRAINT "forwarding_destinations_message" CHECK (("forwarding_destinations"."kind" in ('syslog', 'ipfix')) = ("forwarding_destinations"."max_message_bytes" is not null));--> statement-breakpoint
ALTER TABLE "forwarding_destinations" ADD CONSTRAINT "forwarding_destinations_ipfix" CHECK ("forwarding_destinations"."kind" <> 'ipfix' or ("forwarding_destinations"."streams" = array['conversations'] and "forwarding_destinations"."ca_certificates" is null));--> statement-breakpoint
ALTER TABLE "forwarding_destinations" ADD CONSTRAINT "forwarding_destinations_kind" CHECK ("forwarding_destinations"."kind" in ('syslog', 'json', 'http', 'ipfix'));--> statement-breakpoint
ALTER TABLE "forwarding_destinations" ADD CONSTRAINT "forwarding_destinations_socket" CHECK (("forwarding_destinations"."kind" = 'http') = ("forwarding_destinations"."host" is null) and ("forwarding_destinations"."host" is null) = ("forwarding_destinations"."port" is null)
        and ("forwarding_destinations"."kind" in ('http', 'ipfix')) = ("forwarding_destinations"."transport" is null));