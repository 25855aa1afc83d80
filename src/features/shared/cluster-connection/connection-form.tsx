'use client';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { ClusterCheckReport } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import type { Problem } from '@/ui/error-state';
import { FormShell } from '@/ui/form/form-shell';
import { PasswordField } from '@/ui/form/password-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import { fingerprintToConfirm } from './check-labels';
import { CheckReport, CheckRunning } from './check-report';
import type { ConnectionValues } from './connection-values';
import { FingerprintPrompt } from './fingerprint-prompt';
import { TokenHelp } from './token-help';
import { useConnectionCheck } from './use-connection-check';

type Props<Out> = {
  form: UseFormReturn<ConnectionValues, unknown, Out>;
  onSubmit: (input: Out) => void;
  error: Problem | null;
  pending: boolean;
  submitLabel: string;
  /** A stored cluster: its token may stay, and its certificate may have changed. */
  clusterId?: string;
  disabledReason?: string | null;
  /** Tries the connection as soon as the form is open: there is trouble to show. */
  checkAtOnce?: boolean;
  onCancel?: () => void;
  cancelLabel?: string;
  layout?: 'page' | 'panel';
  /** Fields beyond the connection. */
  children?: ReactNode;
};

const failed = (report: ClusterCheckReport) => report.checks.some((check) => check.status === 'failed');

/**
 * Address, token and certificate of a cluster, tried out before they are saved. Saving in spite of a failed check is
 * possible (a cluster may be down for an hour), but only after the failure was shown.
 */
export function ConnectionForm<Out>(props: Props<Out>) {
  const t = useT();
  const { clusterId = null, form } = props;
  const { isDirty } = form.formState;
  const check = useConnectionCheck(form, clusterId);
  const [askedFor, setAskedFor] = useState<ClusterCheckReport | null>(null);
  const { report } = check;
  const anyway = report !== null && askedFor === report;
  const pinned = form.watch('tls_fingerprint');
  const unconfirmed = report && fingerprintToConfirm(report, pinned);

  const runCheck = async () => {
    const result = await check.run();
    if (result?.cluster_name && form.getValues('name').trim() === '') form.setValue('name', result.cluster_name);
    return result;
  };
  const checkNow = useEffectEvent(() => void runCheck());
  const { checkAtOnce = false } = props;
  useEffect(() => {
    if (checkAtOnce) checkNow();
  }, [checkAtOnce]);
  const submit = async (input: Out) => {
    const result = report ?? (await runCheck());
    if (!result) return;
    if (failed(result) && !anyway) setAskedFor(result);
    else props.onSubmit(input);
  };
  const trust = () => {
    if (!unconfirmed) return;
    form.setValue('tls_fingerprint', unconfirmed, { shouldDirty: true });
    void runCheck();
  };
  // Leaving a field tries the connection, once per content; an unchanged stored cluster is tried on request only.
  const autoCheck = () => {
    if ((clusterId === null || isDirty) && check.untried()) void runCheck();
  };
  return (
    <FormShell
      form={form}
      onSubmit={(input) => void submit(input)}
      error={props.error ?? check.error}
      pending={props.pending}
      submitLabel={anyway ? t('{action} anyway', { action: props.submitLabel }) : props.submitLabel}
      disabledReason={props.disabledReason ?? (check.pending ? t('Wait for the checks') : null)}
      onCancel={props.onCancel}
      cancelLabel={props.cancelLabel}
      layout={props.layout}
      aside={
        <Button
          onClick={() => void runCheck()}
          pending={check.pending}
          disabledReason={props.pending && t('Wait for the current action to finish')}
        >
          {t('Check connection')}
        </Button>
      }
    >
      <fieldset className="flex min-w-0 flex-col gap-4" onBlur={autoCheck}>
        <legend className="sr-only">{t('Connection')}</legend>
        <TextField
          control={form.control}
          name="api_url"
          label={t('API address')}
          placeholder="https://pve1.example.org:8006"
          description={t('Address of any node of the cluster. The default port is 8006.')}
          mono
        />
        <PasswordField
          control={form.control}
          name="api_token"
          label={t('API token')}
          optional={clusterId !== null}
          placeholder={clusterId === null ? 'user@realm!name=secret' : t('Leave empty to keep the stored token')}
          autoComplete="off"
          description={t('The token is stored encrypted and never shown again.')}
        />
      </fieldset>
      <TokenHelp version={report?.version} />
      {check.pending && <CheckRunning />}
      {unconfirmed ? (
        // Without trust nothing beyond the certificate could be checked.
        <FingerprintPrompt shown={unconfirmed} trusted={pinned} onTrust={trust} pending={check.pending} />
      ) : (
        report && <CheckReport report={report} token={form.getValues('api_token')} />
      )}
      <TextField
        control={form.control}
        name="name"
        label={t('Name')}
        description={t('Name of this cluster in Fabric. Filled in when the cluster reports its own name.')}
      />
      {props.children}
      {anyway && (
        <Notice tone="warn" live title={t('Some checks failed')}>
          {t('You can save the cluster now, but syncs fail until the problems above are fixed.')}
        </Notice>
      )}
    </FormShell>
  );
}
