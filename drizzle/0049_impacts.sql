CREATE TABLE "impact_conversations" (
	"impact_id" uuid NOT NULL,
	"id" integer NOT NULL,
	"outcome" text NOT NULL,
	"client_workload_id" uuid,
	"server_workload_id" uuid,
	"client" text NOT NULL,
	"server" text NOT NULL,
	"port" integer,
	"bytes" bigint NOT NULL,
	"flows" integer NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"conversation" jsonb NOT NULL,
	CONSTRAINT "impact_conversations_impact_id_id_pk" PRIMARY KEY("impact_id","id"),
	CONSTRAINT "impact_conversations_outcome" CHECK ("impact_conversations"."outcome" in ('newly_blocked', 'unknown', 'newly_allowed', 'still_blocked', 'still_allowed'))
);
--> statement-breakpoint
CREATE TABLE "impacts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"policy_id" uuid,
	"policy_name" text NOT NULL,
	"change" jsonb NOT NULL,
	"content_hash" text NOT NULL,
	"live_hash" text NOT NULL,
	"reader" jsonb NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"source" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"progress" real DEFAULT 0 NOT NULL,
	"totals" jsonb,
	"findings" jsonb,
	"message" text,
	"acknowledged_at" timestamp with time zone,
	"lease_owner" text,
	"lease_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "impacts_source" CHECK ("impacts"."source" in ('flows', 'hours')),
	CONSTRAINT "impacts_status" CHECK ("impacts"."status" in ('queued', 'running', 'done', 'failed')),
	CONSTRAINT "impacts_window" CHECK ("impacts"."since" < "impacts"."until"),
	CONSTRAINT "impacts_finished" CHECK (("impacts"."finished_at" is not null) = ("impacts"."status" in ('done', 'failed')))
);
--> statement-breakpoint
ALTER TABLE "impact_conversations" ADD CONSTRAINT "impact_conversations_impact_id_impacts_id_fk" FOREIGN KEY ("impact_id") REFERENCES "public"."impacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "impacts" ADD CONSTRAINT "impacts_policy_id_policies_id_fk" FOREIGN KEY ("policy_id") REFERENCES "public"."policies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "impacts_key" ON "impacts" USING btree ("key") WHERE "impacts"."status" <> 'failed';--> statement-breakpoint
CREATE INDEX "impacts_policy_idx" ON "impacts" USING btree ("policy_id");--> statement-breakpoint
CREATE INDEX "impacts_status_idx" ON "impacts" USING btree ("status","id");