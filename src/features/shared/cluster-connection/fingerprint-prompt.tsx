'use client';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { CopyButton } from '@/ui/copy-button';
import { Notice } from '@/ui/notice';
import { Mono } from '@/ui/values';

type Props = {
  /** SHA-256 of the certificate that the address shows now. */
  shown: string;
  /** The one that was trusted until now; empty when none was. */
  trusted: string;
  onTrust: () => void;
  pending?: boolean;
};

/** Asks to compare a certificate that no authority vouches for. Trusting is a decision; nothing here does it by itself. */
export function FingerprintPrompt({ shown, trusted, onTrust, pending }: Props) {
  const t = useT();
  const changed = trusted.trim() !== '';
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-warn-mark p-3">
      <legend className="sr-only">{t('Certificate')}</legend>
      <Notice tone="warn" title={changed ? t('The certificate has changed') : t('The certificate must be confirmed')}>
        {changed
          ? t(
              'It was renewed, replaced, or somebody stands between this service and the cluster. Trust the new one only if the node shows the same fingerprint.',
            )
          : t(
              'No authority that this service knows has signed it, which is usual for Proxmox VE. Trust it only if the node shows the same fingerprint.',
            )}
      </Notice>
      <dl className="flex flex-col gap-2">
        {changed && <Fingerprint label={t('Trusted until now')} value={trusted} />}
        <Fingerprint label={changed ? t('Shown now') : t('SHA-256 fingerprint')} value={shown} />
      </dl>
      <div className="flex flex-col gap-1">
        <p className="text-muted">
          {t.rich(
            'Compare it with what this command shows on the node, in a shell you trust: the entry <m>pveproxy-ssl.pem</m>, or <m>pve-ssl.pem</m> when there is no such entry.',
            { m: (inside) => <Mono>{inside}</Mono> },
          )}
        </p>
        <CodeBlock label={t('Command that shows the fingerprint')} code="pvenode cert info" />
      </div>
      <div>
        <Button onClick={onTrust} pending={pending}>
          {t('Fingerprints match: trust this certificate')}
        </Button>
      </div>
    </fieldset>
  );
}

function Fingerprint({ label, value }: { label: string; value: string }) {
  const t = useT();
  return (
    <div>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="flex items-start gap-1">
        <Mono wrap>{value}</Mono>
        <CopyButton value={value} label={t('Copy fingerprint')} />
      </dd>
    </div>
  );
}
