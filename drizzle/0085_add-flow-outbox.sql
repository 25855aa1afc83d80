CREATE TABLE "flow_outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flow_outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"node_id" uuid NOT NULL,
	"cluster_id" uuid NOT NULL,
	"batch" bigint,
	"token" uuid DEFAULT gen_random_uuid() NOT NULL,
	"target" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"row_count" integer NOT NULL,
	"buckets" timestamp with time zone[] NOT NULL,
	"rows" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "open_conversations" (
	"conversation_key" uuid NOT NULL,
	"ordinal" integer NOT NULL,
	"id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"is_final" boolean DEFAULT false NOT NULL,
	"low_workload_id" uuid,
	"high_workload_id" uuid,
	"observer_id" uuid,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"reports" jsonb NOT NULL,
	"is_merge_due" boolean DEFAULT false NOT NULL,
	CONSTRAINT "open_conversations_conversation_key_ordinal_pk" PRIMARY KEY("conversation_key","ordinal")
);
--> statement-breakpoint
CREATE INDEX "flow_outbox_node_idx" ON "flow_outbox" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "flow_outbox_batch_idx" ON "flow_outbox" USING btree ("batch") WHERE batch is not null;--> statement-breakpoint
CREATE INDEX "open_conversations_low_idx" ON "open_conversations" USING btree ("low_workload_id") WHERE low_workload_id is not null;--> statement-breakpoint
CREATE INDEX "open_conversations_high_idx" ON "open_conversations" USING btree ("high_workload_id") WHERE high_workload_id is not null;--> statement-breakpoint
CREATE INDEX "open_conversations_observer_idx" ON "open_conversations" USING btree ("observer_id") WHERE low_workload_id is null and high_workload_id is null;--> statement-breakpoint
CREATE INDEX "open_conversations_merge_idx" ON "open_conversations" USING btree ("conversation_key") WHERE is_merge_due;--> statement-breakpoint
CREATE INDEX "open_conversations_seen_idx" ON "open_conversations" USING brin ("last_seen_at") WITH (pages_per_range=32,autosummarize=true);