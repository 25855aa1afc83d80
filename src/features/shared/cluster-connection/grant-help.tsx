import { useT } from '@/lib/i18n/use-t';
import { CodeBlock } from '@/ui/code-block';
import { grantCommands, majorOf, tokenIdOf } from './token-commands';

/** The commands that give the token what it lacks, ready for a root shell on a node. */
export function GrantHelp({ token, version }: { token: string; version: string | null }) {
  const t = useT();
  const named = tokenIdOf(token);
  if (!named) return null;
  return (
    <div className="mt-2 flex flex-col gap-1">
      <p>{t('To grant what is missing, run on any node of the cluster, as root:')}</p>
      <CodeBlock
        label={t('Commands that grant the privileges')}
        code={grantCommands(majorOf(version), named).join('\n')}
      />
    </div>
  );
}
