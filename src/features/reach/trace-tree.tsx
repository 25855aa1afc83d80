'use client';
import type { TraceLine } from '@/domain/reach/reach';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { PolicyLink, WorkloadLink } from '../shared/entity-links';

const KINDS: Record<TraceLine['kind'], string> = {
  policy: msg('Policy'),
  rule: msg('Rule'),
  default: msg('Default policy'),
  source: msg('Source'),
  target: msg('Destination'),
  group: msg('Group'),
  member: msg('Member'),
  address: msg('Address'),
};

function Named({ line: { kind, id, text } }: { line: TraceLine }) {
  if (id !== null && kind === 'policy') return <PolicyLink id={id} name={text} />;
  if (id !== null && kind === 'member') return <WorkloadLink id={id} name={text} />;
  if (id !== null && kind === 'group') {
    return (
      <Link className="link" href={paths.securityGroup({ groupId: id })}>
        {text}
      </Link>
    );
  }
  return <span className="mono">{text}</span>;
}

type Branch = { readonly line: TraceLine; readonly children: readonly Branch[] };

/** Lines with a depth as a tree: deeper ones belong to the line above them. */
export function buildTree(lines: readonly TraceLine[]): Branch[] {
  const found: Branch[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as TraceLine;
    let end = at + 1;
    while (end < lines.length && (lines[end] as TraceLine).depth > line.depth) end++;
    found.push({ line, children: buildTree(lines.slice(at + 1, end)) });
    at = end;
  }
  return found;
}

function Branches({ branches }: { branches: readonly Branch[] }) {
  const t = useT();
  return (
    <ul className="flex flex-col gap-0.5 border-l pl-3">
      {branches.map(({ line, children }) => (
        <li key={`${line.kind} ${line.text}`}>
          <span className="text-sm text-muted">{t(KINDS[line.kind])}</span> <Named line={line} />
          {children.length > 0 && <Branches branches={children} />}
        </li>
      ))}
    </ul>
  );
}

/** What matched: the policy, its rule, and of each end the endpoint, group, member and address. */
export function TraceTree({ lines }: { lines: readonly TraceLine[] }) {
  return lines.length === 0 ? null : <Branches branches={buildTree(lines)} />;
}
