ALTER TABLE "deployment_guests" ADD COLUMN "switches" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "deployment_guests" ADD COLUMN "notes" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "guest_firewalls" ADD COLUMN "baseline" jsonb;--> statement-breakpoint
ALTER TABLE "guest_firewalls" ADD COLUMN "switches_written" jsonb;--> statement-breakpoint
-- Guests with policies get the state before the first apply that was stored, and what stored plans say was written since.
with first as (
  select distinct on (g.workload_id) g.workload_id, g.state_before from deployment_guests g
    join deployments d on d.id = g.deployment_id
    where d.kind = 'apply' and g.state_before is not null
      and exists (select from policy_placements p where p.workload_id = g.workload_id)
    order by g.workload_id, g.deployment_id),
steps as (
  select g.workload_id, g.deployment_id, s.step, s.at from deployment_guests g
    join deployments d on d.id = g.deployment_id
    cross join lateral jsonb_array_elements(g.plan -> 'steps') with ordinality s(step, at)
    where d.kind = 'apply' and g.plan is not null and g.workload_id in (select workload_id from first)),
written as (
  select distinct on (steps.workload_id, o.name) steps.workload_id, o.name, o.value from steps
    cross join lateral jsonb_each(steps.step -> 'changes') o(name, value)
    where steps.step ->> 'kind' = 'set_options'
    order by steps.workload_id, o.name, steps.deployment_id desc, steps.at desc)
insert into guest_firewalls (workload_id, baseline, switches_written)
  select f.workload_id, f.state_before, jsonb_build_object(
    'options', coalesce((select jsonb_object_agg(w.name, jsonb_build_array(w.value)) from written w where w.workload_id = f.workload_id), '{}'),
    'nics', coalesce((select jsonb_agg(distinct s.step -> 'nic') from steps s where s.workload_id = f.workload_id and s.step ->> 'kind' = 'set_nic_flag'), '[]'),
    'overwritten', '[]'::jsonb)
  from first f
  where not (f.state_before ->> 'rules' like '%[fabric i=%')
on conflict (workload_id) do update set baseline = excluded.baseline, switches_written = excluded.switches_written;
