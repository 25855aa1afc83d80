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
      <Notice tone="warn" title={changed ? t('The certificate has changed') : t('Confirm the certificate')}>
        {changed
          ? t(
              'The certificate was renewed or replaced, or the connection is intercepted (man-in-the-middle). Trust the new certificate only if the node shows the same fingerprint.',
            )
          : t(
              'The certificate is not signed by a known authority, which is usual for Proxmox VE. Trust the certificate only if the node shows the same fingerprint.',
            )}
      </Notice>
      <dl className="flex flex-col gap-2">
        {changed && <Fingerprint label={t('Trusted fingerprint')} value={trusted} />}
        <Fingerprint label={changed ? t('New fingerprint') : t('SHA-256 fingerprint')} value={shown} />
      </dl>
      <div className="flex flex-col gap-1">
        <p className="text-muted">
          {t.rich(
            'Compare the fingerprint with the output of this command in a trusted shell on the node: the entry <m>pveproxy-ssl.pem</m>, or <m>pve-ssl.pem</m> if that entry does not exist.',
            { m: (inside) => <Mono>{inside}</Mono> },
          )}
        </p>
        <CodeBlock label={t('Command to show the fingerprint')} code="pvenode cert info" />
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
