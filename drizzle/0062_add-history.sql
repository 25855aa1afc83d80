CREATE TABLE "firewall_states" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"state" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "history_start" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "past_firewalls" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "past_firewalls_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"object_id" uuid NOT NULL,
	"cluster_id" uuid NOT NULL,
	"state_hash" text NOT NULL,
	"from_at" timestamp with time zone NOT NULL,
	"last_read_at" timestamp with time zone NOT NULL,
	"until_at" timestamp with time zone NOT NULL,
	"replaced" boolean NOT NULL,
	CONSTRAINT "past_firewalls_kind" CHECK ("past_firewalls"."kind" in ('guest', 'cluster'))
);
--> statement-breakpoint
ALTER TABLE "temporary_logs" ADD COLUMN "created_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "policy_placements" ADD COLUMN "created_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "cluster_firewall_snapshots" ADD COLUMN "first_read_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "guest_firewall_snapshots" ADD COLUMN "first_read_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "past_firewalls" ADD CONSTRAINT "past_firewalls_state_hash_firewall_states_state_hash_fk" FOREIGN KEY ("state_hash") REFERENCES "public"."firewall_states"("state_hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "past_firewalls_object_idx" ON "past_firewalls" USING btree ("object_id","until_at");--> statement-breakpoint
CREATE INDEX "past_firewalls_until_idx" ON "past_firewalls" USING btree ("until_at");--> statement-breakpoint
CREATE INDEX "past_firewalls_state_idx" ON "past_firewalls" USING btree ("state_hash");
--> statement-breakpoint
INSERT INTO history_start (at) VALUES (now());
--> statement-breakpoint
CREATE SCHEMA IF NOT EXISTS as_of;
--> statement-breakpoint
-- Keeps former versions of the rows of a table: `past_<table>` with triggers that fill it, and the view `as_of.<table>` with the rows as
-- they were at the time in the setting `fabric.as_of`. What is in the table now is not stored twice. A migration that adds or drops a
-- column of a tracked table calls it again.
-- keys: the primary key; since: the column with the time of creation; ignored: columns whose changes alone make no version; omitted:
-- columns that are not kept and read as null.
CREATE FUNCTION track_history(tracked text, keys text[], since text, ignored text[], omitted text[]) RETURNS void LANGUAGE plpgsql AS $track$
DECLARE
  past text := 'past_' || tracked;
  kept text[];
  compared text[];
  definition text;
  name text;
  statement text;
BEGIN
  SELECT array_agg(attname::text ORDER BY attnum) INTO kept FROM pg_attribute
    WHERE attrelid = tracked::regclass AND attnum > 0 AND NOT attisdropped AND attname <> ALL (omitted);
  compared := ARRAY(SELECT c FROM unnest(kept) c WHERE c <> ALL (keys || ignored || since));
  EXECUTE format('DROP VIEW IF EXISTS as_of.%I', tracked);
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I (from_at timestamptz NOT NULL, until_at timestamptz NOT NULL)', past);
  FOR name, definition IN SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
    WHERE attrelid = tracked::regclass AND attname = ANY (kept) ORDER BY attnum
  LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN IF NOT EXISTS %I %s', past, name, definition);
  END LOOP;
  FOR name IN SELECT attname FROM pg_attribute WHERE attrelid = past::regclass AND attnum > 0 AND NOT attisdropped
    AND attname <> ALL (kept || ARRAY['from_at', 'until_at'])
  LOOP
    EXECUTE format('ALTER TABLE %I DROP COLUMN %I', past, name);
  END LOOP;
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (%s, until_at)', past || '_key_idx', past,
    (SELECT string_agg(quote_ident(k), ', ') FROM unnest(keys) k));
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (until_at)', past || '_until_idx', past);

  -- Of several changes in one transaction others see the last alone: a version that began in it is none. One that began later belongs to
  -- a transaction that was faster.
  statement := format('INSERT INTO %I (%s, from_at, until_at) SELECT %s, b.from_at, e.until_at FROM old_rows o %%s
    CROSS JOIN LATERAL (SELECT coalesce((SELECT max(p.until_at) FROM %I p WHERE %s), o.%I) AS from_at) b
    CROSS JOIN LATERAL (SELECT CASE WHEN b.from_at > now() THEN clock_timestamp() ELSE now() END AS until_at) e
    WHERE b.from_at < e.until_at %%s;',
    past, (SELECT string_agg(quote_ident(c), ', ') FROM unnest(kept) c), (SELECT string_agg('o.' || quote_ident(c), ', ') FROM unnest(kept) c),
    past, (SELECT string_agg(format('p.%1$I = o.%1$I', k), ' AND ') FROM unnest(keys) k), since);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN %s RETURN NULL; END $body$',
    'keep_updated_' || tracked, format(statement,
      (SELECT 'JOIN new_rows n ON ' || string_agg(format('n.%1$I = o.%1$I', k), ' AND ') FROM unnest(keys) k),
      (SELECT format('AND (%s) IS DISTINCT FROM (%s)', string_agg('o.' || quote_ident(c), ', '), string_agg('n.' || quote_ident(c), ', '))
        FROM unnest(compared) c)));
  EXECUTE format('CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN %s RETURN NULL; END $body$',
    'keep_deleted_' || tracked, format(statement, '', ''));
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION %I()', tracked || '_history_update', tracked, 'keep_updated_' || tracked);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION %I()', tracked || '_history_delete', tracked, 'keep_deleted_' || tracked);

  -- A time that is kept up to date is not later than the time asked for.
  SELECT string_agg(CASE
      WHEN attname = ANY (omitted) THEN format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname)
      WHEN attname = ANY (ignored) AND atttypid = 'timestamptz'::regtype
        THEN format('CASE WHEN r.%1$I > t.at THEN t.at ELSE r.%1$I END AS %1$I', attname)
      ELSE format('r.%I', attname) END, ', ' ORDER BY attnum) INTO definition
    FROM pg_attribute WHERE attrelid = tracked::regclass AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('CREATE VIEW as_of.%I AS
    SELECT %s FROM public.%I r, (SELECT current_setting(''fabric.as_of'')::timestamptz AS at) t
      WHERE r.%I <= t.at AND NOT EXISTS (SELECT 1 FROM public.%I p WHERE %s AND p.until_at > t.at)
    UNION ALL
    SELECT %s FROM public.%I r, (SELECT current_setting(''fabric.as_of'')::timestamptz AS at) t
      WHERE r.from_at <= t.at AND r.until_at > t.at',
    tracked, definition, tracked, since, past, (SELECT string_agg(format('p.%1$I = r.%1$I', k), ' AND ') FROM unnest(keys) k),
    definition, past);
END $track$;
--> statement-breakpoint
SELECT track_history('tenants', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('projects', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('clusters', '{id}', 'created_at', '{updated_at,sync_status,last_sync_at,last_sync_error,last_sync_error_code,quorate}',
  '{tls_fingerprint,tls_ca,api_token_encrypted,api_token_key_id,entry_points}');
--> statement-breakpoint
SELECT track_history('nodes', '{id}', 'created_at', '{updated_at}', '{tls_fingerprint}');
--> statement-breakpoint
SELECT track_history('networks', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('subnets', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('workloads', '{id}', 'created_at', '{updated_at,config_read_at,config_digest}', '{lock}');
--> statement-breakpoint
SELECT track_history('workload_interfaces', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('ip_addresses', '{id}', 'created_at', '{updated_at,last_seen_at}', '{}');
--> statement-breakpoint
SELECT track_history('ipam_conflicts', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('security_groups', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('security_group_members', '{security_group_id,workload_id}', 'created_at', '{}', '{}');
--> statement-breakpoint
SELECT track_history('policies', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('security_rules', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('deployments', '{id}', 'created_at',
  '{progress_done,progress_total,writes,problems,lease_owner,lease_at,attempts}', '{fingerprints,workload_ids}');
--> statement-breakpoint
SELECT track_history('policy_placements', '{policy_id,workload_id}', 'created_at', '{}', '{}');
--> statement-breakpoint
SELECT track_history('temporary_logs', '{policy_id,workload_id}', 'created_at', '{}', '{}');
--> statement-breakpoint
SELECT track_history('drifts', '{id}', 'first_seen_at', '{last_seen_at}', '{}');
--> statement-breakpoint
CREATE VIEW as_of.ip_address_history AS
  SELECT h.id, h.cluster_id, h.network_id, h.address, h.workload_id, h.workload_name, h.workload_external_id, h.interface_name, h.mac,
    h.source, h.from_at, CASE WHEN h.until_at > t.at THEN NULL ELSE h.until_at END AS until_at
  FROM public.ip_address_history h, (SELECT current_setting('fabric.as_of')::timestamptz AS at) t WHERE h.from_at <= t.at;
--> statement-breakpoint
CREATE VIEW as_of.workload_owners AS
  SELECT o.id, o.workload_id, o.tenant_id, o.from_at, CASE WHEN o.to_at > t.at THEN NULL ELSE o.to_at END AS to_at,
    CASE WHEN o.to_at > t.at THEN NULL ELSE o.workload_name END AS workload_name
  FROM public.workload_owners o, (SELECT current_setting('fabric.as_of')::timestamptz AS at) t WHERE o.from_at IS NULL OR o.from_at <= t.at;
--> statement-breakpoint
-- Readings of firewalls: the time of a reading is when it was asked for, which a test or a simulation may choose.
CREATE FUNCTION begin_firewall_reading() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.state_hash <> OLD.state_hash THEN
    NEW.first_read_at := NEW.read_at;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION keep_firewall_reading(kind text, object uuid, cluster uuid, hash text, content jsonb, since timestamptz, last timestamptz,
  until timestamptz, replaced boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF since >= until THEN
    RETURN;
  END IF;
  -- The lock keeps a state from being deleted as unused meanwhile.
  INSERT INTO firewall_states (state_hash, state) VALUES (hash, content)
    ON CONFLICT (state_hash) DO UPDATE SET state_hash = excluded.state_hash;
  INSERT INTO past_firewalls (kind, object_id, cluster_id, state_hash, from_at, last_read_at, until_at, replaced)
    VALUES (kind, object, cluster, hash, since, last, until, replaced);
END $$;
--> statement-breakpoint
CREATE FUNCTION end_guest_firewall_reading() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_firewall_reading('guest', OLD.workload_id, OLD.cluster_id, OLD.state_hash, OLD.state, OLD.first_read_at, OLD.read_at,
    CASE TG_OP WHEN 'UPDATE' THEN NEW.first_read_at ELSE greatest(now(), OLD.read_at) END, TG_OP = 'UPDATE');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION end_cluster_firewall_reading() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_firewall_reading('cluster', OLD.cluster_id, OLD.cluster_id, OLD.state_hash, OLD.state, OLD.first_read_at, OLD.read_at,
    CASE TG_OP WHEN 'UPDATE' THEN NEW.first_read_at ELSE greatest(now(), OLD.read_at) END, TG_OP = 'UPDATE');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER guest_firewall_snapshots_begin BEFORE INSERT OR UPDATE ON guest_firewall_snapshots
  FOR EACH ROW EXECUTE FUNCTION begin_firewall_reading();
--> statement-breakpoint
CREATE TRIGGER cluster_firewall_snapshots_begin BEFORE INSERT OR UPDATE ON cluster_firewall_snapshots
  FOR EACH ROW EXECUTE FUNCTION begin_firewall_reading();
--> statement-breakpoint
CREATE TRIGGER guest_firewall_snapshots_update AFTER UPDATE ON guest_firewall_snapshots
  FOR EACH ROW WHEN (OLD.state_hash <> NEW.state_hash) EXECUTE FUNCTION end_guest_firewall_reading();
--> statement-breakpoint
CREATE TRIGGER guest_firewall_snapshots_delete AFTER DELETE ON guest_firewall_snapshots
  FOR EACH ROW EXECUTE FUNCTION end_guest_firewall_reading();
--> statement-breakpoint
CREATE TRIGGER cluster_firewall_snapshots_update AFTER UPDATE ON cluster_firewall_snapshots
  FOR EACH ROW WHEN (OLD.state_hash <> NEW.state_hash) EXECUTE FUNCTION end_cluster_firewall_reading();
--> statement-breakpoint
CREATE TRIGGER cluster_firewall_snapshots_delete AFTER DELETE ON cluster_firewall_snapshots
  FOR EACH ROW EXECUTE FUNCTION end_cluster_firewall_reading();
--> statement-breakpoint
-- What is read after a workload went to another project says nothing to those who had it before: their reading ends with the move.
CREATE FUNCTION divide_firewall_reading() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  s guest_firewall_snapshots%ROWTYPE;
  moved timestamptz;
BEGIN
  SELECT * INTO s FROM guest_firewall_snapshots WHERE workload_id = NEW.id FOR NO KEY UPDATE;
  moved := greatest(now(), s.read_at);
  IF s.first_read_at < moved THEN
    PERFORM keep_firewall_reading('guest', s.workload_id, s.cluster_id, s.state_hash, s.state, s.first_read_at, s.read_at, moved, false);
    UPDATE guest_firewall_snapshots SET first_read_at = moved WHERE workload_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER workloads_divide_firewall_reading AFTER UPDATE OF project_id ON workloads
  FOR EACH ROW WHEN (OLD.project_id IS DISTINCT FROM NEW.project_id) EXECUTE FUNCTION divide_firewall_reading();
--> statement-breakpoint
-- A state that was read last before the time asked for, and read otherwise after it, was live or not: it is left out.
CREATE VIEW as_of.guest_firewall_snapshots AS
  SELECT s.workload_id, s.cluster_id, least(s.read_at, t.at) AS read_at, s.first_read_at, s.state_hash, s.state, s.compile_failures
  FROM public.guest_firewall_snapshots s, (SELECT current_setting('fabric.as_of')::timestamptz AS at) t WHERE s.first_read_at <= t.at
  UNION ALL
  SELECT p.object_id, p.cluster_id, least(p.last_read_at, t.at), p.from_at, p.state_hash, f.state, '[]'::jsonb
  FROM public.past_firewalls p JOIN public.firewall_states f ON f.state_hash = p.state_hash,
    (SELECT current_setting('fabric.as_of')::timestamptz AS at) t
  WHERE p.kind = 'guest' AND p.from_at <= t.at AND p.until_at > t.at AND (p.last_read_at >= t.at OR NOT p.replaced);
--> statement-breakpoint
CREATE VIEW as_of.cluster_firewall_snapshots AS
  SELECT s.cluster_id, least(s.read_at, t.at) AS read_at, s.first_read_at, s.state_hash, s.state
  FROM public.cluster_firewall_snapshots s, (SELECT current_setting('fabric.as_of')::timestamptz AS at) t WHERE s.first_read_at <= t.at
  UNION ALL
  SELECT p.object_id, least(p.last_read_at, t.at), p.from_at, p.state_hash, f.state
  FROM public.past_firewalls p JOIN public.firewall_states f ON f.state_hash = p.state_hash,
    (SELECT current_setting('fabric.as_of')::timestamptz AS at) t
  WHERE p.kind = 'cluster' AND p.from_at <= t.at AND p.until_at > t.at AND (p.last_read_at >= t.at OR NOT p.replaced);
