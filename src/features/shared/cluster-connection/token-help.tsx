'use client';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { CodeBlock } from '@/ui/code-block';
import { Select } from '@/ui/select';
import { Mono } from '@/ui/values';
import { getPveMajor, PVE_MAJORS, type PveMajor, tokenCommands, tokenPrivileges } from './token-commands';

const VERSIONS = PVE_MAJORS.map((value) => ({ value, label: `Proxmox VE ${value}` }));

/** How to create the API token: commands to copy, and what each privilege is for. */
export function TokenHelp({ version }: { version?: string | null }) {
  const t = useT();
  const [chosen, setChosen] = useState<PveMajor | null>(null);
  const major = chosen ?? getPveMajor(version);
  return (
    <details className="rounded-md border px-3 py-2 open:pb-3">
      <summary className="font-medium">{t('How to create the token')}</summary>
      <div className="mt-3 flex flex-col gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p>{t('Run as root on any node of the cluster:')}</p>
          <Select
            size="sm"
            className="!w-36"
            aria-label={t('Cluster version')}
            value={major}
            onValueChange={setChosen}
            options={VERSIONS}
          />
        </div>
        <CodeBlock label={t('Commands to create the token')} code={tokenCommands(major).join('\n')} />
        <p className="text-muted">
          {t.rich(
            'The last command prints the secret once. The token is <m>fabric@pve!fabric=</m> followed by the secret. Without a role on <m>/</m>, a token can sign in but sees nothing.',
            { m: (inside) => <Mono>{inside}</Mono> },
          )}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
          {tokenPrivileges(major).map(({ name, purpose }) => (
            <div key={name} className="contents">
              <dt className="mono">{name}</dt>
              <dd className="text-muted">{t(purpose)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </details>
  );
}
