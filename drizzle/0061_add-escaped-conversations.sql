CREATE TABLE "escaped_conversations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workload_id" uuid NOT NULL,
	"project_id" uuid,
	"nic" smallint,
	"direction" text NOT NULL,
	"client_ip" "inet" NOT NULL,
	"client_port" integer,
	"server_ip" "inet" NOT NULL,
	"server_port" integer,
	"protocol" text NOT NULL,
	"reason" text,
	"broken_link" text,
	"log_accepted" boolean NOT NULL,
	"denied_by" text NOT NULL,
	"filter_hash" text NOT NULL,
	"start_known" boolean NOT NULL,
	"watched_since" timestamp with time zone NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"found_at" timestamp with time zone NOT NULL,
	CONSTRAINT "escaped_conversations_key" UNIQUE NULLS NOT DISTINCT("workload_id","direction","client_ip","client_port","server_ip","server_port","protocol","filter_hash"),
	CONSTRAINT "escaped_conversations_direction" CHECK ("escaped_conversations"."direction" in ('in', 'out'))
);
--> statement-breakpoint
ALTER TABLE "escaped_conversations" ADD CONSTRAINT "escaped_conversations_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "escaped_conversations_seen_idx" ON "escaped_conversations" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "escaped_conversations_open_idx" ON "escaped_conversations" USING btree ("found_at") WHERE reason is null;