ALTER TABLE "workload_owners" ADD COLUMN "workload_name" text;
--> statement-breakpoint
-- The tenant that had a workload goes on reading of it by the name that it had then.
CREATE OR REPLACE FUNCTION note_workload_owner() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tenant uuid := (SELECT tenant_id FROM projects WHERE id = NEW.project_id);
  latest workload_owners%ROWTYPE;
BEGIN
  SELECT * INTO latest FROM workload_owners WHERE workload_id = NEW.id ORDER BY workload_owners.id DESC LIMIT 1;
  IF latest.id IS NOT NULL AND latest.tenant_id = tenant THEN
    -- It comes back, and nobody else had it.
    UPDATE workload_owners SET to_at = NULL, workload_name = NULL WHERE workload_owners.id = latest.id AND to_at IS NOT NULL;
    RETURN NULL;
  END IF;
  UPDATE workload_owners SET to_at = greatest(now(), from_at), workload_name = OLD.name WHERE workload_owners.id = latest.id AND to_at IS NULL;
  IF tenant IS NOT NULL THEN
    INSERT INTO workload_owners (workload_id, tenant_id, from_at)
    SELECT NEW.id, tenant, max(to_at) FROM workload_owners WHERE workload_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
