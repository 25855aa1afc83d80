CREATE TABLE "flow_move_days" (
	"move_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"day" timestamp with time zone NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"rows" bigint DEFAULT 0 NOT NULL,
	"rows_moved" bigint DEFAULT 0 NOT NULL,
	"pages" integer DEFAULT 0 NOT NULL,
	"attempt" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "flow_move_days_move_id_kind_day_pk" PRIMARY KEY("move_id","kind","day")
);
--> statement-breakpoint
CREATE TABLE "flow_moves" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "flow_moves_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"engine" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"switched_at" timestamp with time zone,
	"planned_at" timestamp with time zone,
	"moved_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "flow_move_days" ADD CONSTRAINT "flow_move_days_move_id_flow_moves_id_fk" FOREIGN KEY ("move_id") REFERENCES "public"."flow_moves"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Flows are stored where flow_storage says, whatever the environment of the process that stores them, and whatever its version. Who waits for
-- the lock under which the store is switched asks after that.
CREATE FUNCTION refuse_flows_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM flow_storage WHERE engine <> TG_ARGV[0]) THEN
    RAISE EXCEPTION 'flows are stored in another store' USING ERRCODE = 'FS001';
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER traffic_flows_elsewhere BEFORE INSERT OR UPDATE ON traffic_flows
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_flows_elsewhere('postgres');--> statement-breakpoint
CREATE TRIGGER flow_rollup_minutes_elsewhere BEFORE INSERT OR UPDATE ON flow_rollup_minutes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_flows_elsewhere('postgres');--> statement-breakpoint
CREATE TRIGGER flow_outbox_elsewhere BEFORE INSERT ON flow_outbox
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_flows_elsewhere('clickhouse');--> statement-breakpoint
-- What moves to another store stays as it is until both agree about it.
CREATE FUNCTION keep_moving_flows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM flow_moves WHERE engine = 'clickhouse' AND switched_at IS NOT NULL AND finished_at IS NULL) THEN
    RAISE EXCEPTION 'stored flows are being moved' USING ERRCODE = 'FS001';
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER traffic_flows_moving BEFORE DELETE ON traffic_flows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_moving_flows();--> statement-breakpoint
CREATE TRIGGER flow_rollup_minutes_moving BEFORE DELETE ON flow_rollup_minutes
  FOR EACH STATEMENT EXECUTE FUNCTION keep_moving_flows();--> statement-breakpoint
CREATE TRIGGER traffic_conversations_moving BEFORE INSERT OR UPDATE OR DELETE ON traffic_conversations
  FOR EACH STATEMENT EXECUTE FUNCTION keep_moving_flows();--> statement-breakpoint
CREATE TRIGGER flow_rollup_hours_moving BEFORE INSERT OR UPDATE OR DELETE ON flow_rollup_hours
  FOR EACH STATEMENT EXECUTE FUNCTION keep_moving_flows();--> statement-breakpoint
CREATE TRIGGER flow_unresolved_minutes_moving BEFORE INSERT OR UPDATE OR DELETE ON flow_unresolved_minutes
  FOR EACH STATEMENT EXECUTE FUNCTION keep_moving_flows();
