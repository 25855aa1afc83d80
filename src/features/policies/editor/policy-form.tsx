'use client';
import type { ReactNode } from 'react';
import { type Control, type UseFormReturn, useWatch } from 'react-hook-form';
import type { Owned } from '@/domain/permissions';
import { DEFAULT_ACTIONS, ENFORCEMENT_MODES, POLICY_DIRECTIONS } from '@/domain/policy/choices';
import { POLICY_TIERS, type PolicyTier, TENANT_VISIBILITIES } from '@/domain/policy/tier';
import { translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { EmptyState } from '@/ui/empty-state';
import type { Problem } from '@/ui/error-state';
import { CheckboxField } from '@/ui/form/checkbox-field';
import { FormShell } from '@/ui/form/form-shell';
import { NumberField } from '@/ui/form/number-field';
import { RadioField } from '@/ui/form/radio-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import type { Option } from '@/ui/option';
import { Section } from '@/ui/section';
import { MODE_LABELS } from '../../shared/enforcement-mode';
import type { ImpactQuestion } from '../../shared/impact/use-impact';
import { OwnerFields, useOwner } from '../../shared/owner-fields';
import { WHOLE_TENANT } from '../../shared/project-options';
import { DEFAULT_LABELS, DIRECTION_LABELS, TIER_LABELS, VISIBILITY_LABELS } from '../../shared/tier-labels';
import { usePermissions } from '../../shared/use-permissions';
import { useUnsavedGuard } from '../../shared/use-unsaved-guard';
import { DraftImpact } from './draft-impact';
import { EndpointsField } from './endpoints-field';
import type { PolicyValues } from './policy-form-values';
import { RulesField } from './rules-field';

/** Loaded after what every policy needs. */
const ResponsibilityFields = loadOnOpening(
  () => import('./responsibility-fields').then((module) => module.ResponsibilityFields),
  () => true,
);

/** Loaded while the endpoints are chosen. */
const ResolutionPanel = loadOnOpening(
  () => import('./resolution-panel').then((module) => module.ResolutionPanel),
  () => true,
);

/** Loaded when a policy is enforced. */
const ReadOnlyNotice = loadOnOpening(
  () => import('./read-only-notice').then((module) => module.ReadOnlyNotice),
  () => true,
);

type Props<Out> = {
  form: UseFormReturn<PolicyValues, unknown, Out>;
  onSubmit: (input: Out) => void;
  error: Problem | null;
  pending: boolean;
  /** What is in the form is stored: leaving loses nothing. */
  saved: boolean;
  submitLabel: string;
  /** Keeps what is in the form in a change instead of storing it. */
  onSaveAsChange: (input: Out) => void;
  /** Tenants to choose between, for a new policy. */
  tenants?: readonly Option[];
  /** Of a policy that exists. */
  tenantId?: string | null;
  /** Whether the stored policy is enforced, so that switching it off removes rules. */
  enforcedBefore?: boolean;
  withReason?: boolean;
  /** What the impact of the content of the form is asked of. */
  impactOf: (input: Out) => ImpactQuestion;
  backTo: string;
};

const MODE_OPTIONS = ENFORCEMENT_MODES.toReversed().map((value) => ({ value, ...MODE_LABELS[value] }));
const DIRECTION_OPTIONS = POLICY_DIRECTIONS.map((value) => ({ value, ...DIRECTION_LABELS[value] }));
const TIER_OPTIONS = POLICY_TIERS.filter((value) => value !== 'tenant').map((value: PolicyTier) => ({
  value,
  ...TIER_LABELS[value],
}));
const VISIBILITY_OPTIONS = TENANT_VISIBILITIES.toReversed().map((value) => ({ value, ...VISIBILITY_LABELS[value] }));
const DEFAULT_OPTIONS = DEFAULT_ACTIONS.map((value) => ({ value, ...DEFAULT_LABELS[value] }));

/** The whole definition of a policy in one form; what the endpoints resolve to is shown during editing. */
export function PolicyForm<Out>(props: Props<Out>) {
  const t = useT();
  const { form, tenants = [], enforcedBefore = false } = props;
  const { isDirty, defaultValues } = form.formState;
  const guard = useUnsavedGuard(isDirty && !props.saved);
  const { control } = form;
  // Parts of the form that do not care about what is submitted.
  const fields = control as unknown as Control<PolicyValues, unknown, never>;
  const definition = useWatch({ control, name: 'definition' }) as PolicyValues['definition'];
  const enabled = useWatch({ control, name: 'enabled' }) as boolean;
  const { tenant_id: tenant, project_id, projects } = useOwner(form, 'policy:write', props.tenantId);
  const chosenProject = useWatch({ control, name: 'project_id' }) as string | null;
  const moved = chosenProject !== defaultValues?.project_id;
  const narrowed = enforcedBefore && moved && chosenProject !== WHOLE_TENANT && chosenProject !== null;
  const enforcedAfter = enabled && definition.enforcement_mode === 'enforced';
  return (
    <>
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <FormShell
          form={form}
          onSubmit={props.onSubmit}
          error={props.error}
          pending={props.pending}
          submitLabel={props.submitLabel}
          disabledReason={props.withReason && !isDirty ? t('No changes') : null}
          onCancel={() => guard.go(props.backTo)}
          aside={
            <Button
              onClick={() => void form.handleSubmit((input) => props.onSaveAsChange(input))()}
              disabledReason={props.withReason && !isDirty ? t('No changes') : null}
            >
              {t('Save as change…')}
            </Button>
          }
          fieldName={toFormField}
        >
          <Section title={t('General')}>
            <div className="flex flex-col gap-3">
              <TextField control={control} name={'name' as never} label={t('Name')} maxLength={100} autoFocus />
              <TextareaField
                control={control}
                name={'description' as never}
                label={t('Description')}
                optional
                rows={2}
              />
              <OwnerFields
                form={form}
                tenants={tenants}
                projects={projects}
                tenantNote={t("A tenant's policy covers only the workloads of that tenant.")}
                projectNote={t("A project's policy covers only the workloads of that project.")}
              />
              <ResponsibilityFields control={fields} />
              {narrowed && (
                <Notice tone="warn" title={t('Saving removes its rules from other workloads')}>
                  {t('When you save, its rules are removed from workloads outside the project.')}
                </Notice>
              )}
            </div>
          </Section>
          <Section title={t('Sources and targets')}>
            <div className="flex flex-col gap-3">
              <EndpointsField
                control={fields}
                side="sources"
                tenantId={tenant ?? null}
                projectId={project_id ?? null}
                description={t('Groups, workloads, networks, tags, addresses such as 10.0.0.0/24, or any.')}
              />
              <EndpointsField
                control={fields}
                side="targets"
                tenantId={tenant ?? null}
                projectId={project_id ?? null}
                description={t('Same types as above. Rules are placed only on workloads.')}
              />
              <RadioField
                control={fields}
                name="definition.direction"
                label={t('Direction')}
                options={translateOptions(t, DIRECTION_OPTIONS)}
              />
            </div>
          </Section>
          <Section
            title={t('Rules')}
            description={t(
              'Rules are evaluated in order; the first match applies. Press Alt + arrow keys to move a rule.',
            )}
            bare
          >
            <RulesField control={fields} />
          </Section>
          <Section title={t('Enforcement and order')}>
            <div className="flex flex-col gap-4">
              <RadioField
                control={fields}
                name="definition.enforcement_mode"
                label={t('Enforcement')}
                options={translateOptions(t, MODE_OPTIONS)}
              />
              {enforcedAfter && <ReadOnlyNotice />}
              {enforcedBefore && !enforcedAfter && (
                <Notice tone="warn" title={t('Saving removes all its rules')}>
                  {t('The policy is enforced now. When you save, its rules are removed from all workloads.')}
                </Notice>
              )}
              {!enforcedBefore && enforcedAfter && (
                <Notice tone="info" title={t('Saving changes no workload yet')}>
                  {t('The rules are written when you apply the policy, after a preview of what changes.')}
                </Notice>
              )}
              <RadioField
                control={fields}
                name="definition.default_action"
                label={t('Default policy')}
                options={translateOptions(t, DEFAULT_OPTIONS)}
              />
              {tenant === null && (
                <>
                  <RadioField
                    control={fields}
                    name="tier"
                    label={t('Evaluation')}
                    options={translateOptions(t, TIER_OPTIONS)}
                  />
                  <RadioField
                    control={fields}
                    name="tenant_visibility"
                    label={t('Visible to tenants')}
                    options={translateOptions(t, VISIBILITY_OPTIONS)}
                  />
                </>
              )}
              <NumberField
                control={fields}
                name="priority"
                label={t('Priority')}
                description={
                  tenant === null
                    ? t('0 to 10,000. Among platform policies of this evaluation, lower numbers are evaluated first.')
                    : t('0 to 10,000. Among policies of tenants, lower numbers are evaluated first.')
                }
                min={0}
                max={10_000}
              />
              <CheckboxField
                control={fields}
                name="enabled"
                label={t('Enabled')}
                description={t('A disabled policy has no rules on any workload and is not evaluated in audit.')}
              />
            </div>
          </Section>
          {props.withReason && (
            <Section>
              <TextField
                control={fields}
                name="reason"
                label={t('Reason for the change')}
                optional
                maxLength={500}
                description={t('Stored with the version and shown in its history.')}
              />
            </Section>
          )}
        </FormShell>
        <div className="xl:sticky xl:top-4">
          <ResolutionPanel definition={definition} tenantId={tenant} projectId={project_id} />
        </div>
      </div>
      <DraftImpact form={form} impactOf={props.impactOf} enforcedBefore={enforcedBefore} />
      <ConfirmDialog
        open={guard.leaving !== null}
        onOpenChange={(open) => !open && guard.stay()}
        title={t('Leave without saving?')}
        confirmLabel={t('Discard changes')}
        pending={false}
        error={null}
        onConfirm={guard.leave}
      >
        <p>{t('Your changes to this policy will be lost.')}</p>
      </ConfirmDialog>
    </>
  );
}

/** A page for users who may write policies, or those of one owner; others see why they may not. */
export function PolicyWriters({ owner, children }: { owner?: Owned; children: ReactNode }) {
  const t = useT();
  const refused = usePermissions().reason('policy:write', owner);
  return refused ? <EmptyState title={t('You have read-only access to policies')}>{refused}</EmptyState> : children;
}

/** Messages about one item of a list are shown at the field that holds the list. */
const toFormField = (field: string): string =>
  field
    .replace(/^(definition\.(?:sources|targets))\.\d+$/, '$1')
    .replace(/^(rules\.\d+\.(?:destination_ports|source_ports))\.\d+$/, '$1');
