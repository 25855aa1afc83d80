import {
  Boxes,
  Building2,
  CircleUser,
  FlaskConical,
  GitPullRequestArrow,
  Group,
  KeyRound,
  KeySquare,
  type LucideIcon,
  MapPin,
  Monitor,
  Network,
  Server,
  ShieldCheck,
  Split,
  Tag,
  Waypoints,
} from 'lucide-react';
import type { ChangeState } from '@/domain/change/states';
import { parseIp } from '@/domain/net/ip-address';
import { foldText } from '@/domain/search/match-text';
import type { SearchKind, SearchResult } from '@/domain/search/search';
import { msg, type Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import type { Command } from '@/ui/command-registry';
import { STATE_LABELS } from '../shared/changes/change-labels';

type Shown = {
  /** Heading of the results of this kind. */
  group: string;
  icon: LucideIcon;
  href: (result: SearchResult, query: string) => string;
  /** Of a place that is a word of the service. */
  formatPlace?: (t: Translate, place: string) => string;
};

const KINDS: Record<SearchKind, Shown> = {
  workload: { group: msg('Workloads'), icon: Monitor, href: ({ id }) => paths.workload({ workloadId: id }) },
  policy: { group: msg('Policies'), icon: ShieldCheck, href: ({ id }) => paths.policy({ policyId: id }) },
  policy_test: { group: msg('Policy tests'), icon: FlaskConical, href: ({ id }) => paths.policyTest({ testId: id }) },
  change: {
    group: msg('Changes'),
    icon: GitPullRequestArrow,
    href: ({ id }) => paths.change({ changeId: id }),
    formatPlace: (t, state) => t(STATE_LABELS[state as ChangeState].word),
  },
  security_group: { group: msg('Groups'), icon: Group, href: ({ id }) => paths.securityGroup({ groupId: id }) },
  cluster: { group: msg('Clusters'), icon: Waypoints, href: ({ id }) => paths.cluster({ clusterId: id }) },
  node: { group: msg('Nodes'), icon: Server, href: ({ id }) => paths.node({ nodeId: id }) },
  network: { group: msg('Networks'), icon: Network, href: ({ id }) => paths.network({ networkId: id }) },
  vlan: { group: msg('VLANs'), icon: Tag, href: ({ id }) => paths.network({ networkId: id }) },
  subnet: {
    group: msg('Prefixes'),
    icon: Split,
    // An address that is free is shown where it would be.
    href: ({ id }, query) => paths.subnet({ subnetId: id, ...(parseIp(query) && { tab: 'grid', from: query }) }),
  },
  ip_address: { group: msg('Addresses'), icon: MapPin, href: ({ id }) => paths.address({ addressId: id }) },
  project: {
    group: msg('Projects'),
    icon: Boxes,
    href: ({ name, parent_id }) => paths.projects({ q: name, tenant_id: parent_id }),
  },
  tenant: { group: msg('Tenants'), icon: Building2, href: ({ id }) => paths.tenant({ tenantId: id }) },
  user: { group: msg('Users'), icon: CircleUser, href: ({ id }) => paths.user({ userId: id }) },
  api_token: {
    group: msg('API tokens'),
    icon: KeySquare,
    href: ({ parent_id }) => paths.user({ userId: parent_id ?? '', tab: 'tokens' }),
  },
  role: { group: msg('Roles'), icon: KeyRound, href: ({ id }) => paths.role({ roleId: id }) },
};

type Context = {
  t: Translate;
  query: string;
  /** Nothing matched: the names are only similar. */
  similar: boolean;
  /** The signed-in user, whose tokens are on the page of the account. */
  userId: string | null;
  open: (href: string) => void;
};

/** A result of the service as a command that leads there. `group` in place of that of its kind. */
export function resultCommand(result: SearchResult, context: Context, group?: string): Command {
  const { t, query, similar, userId, open } = context;
  const { kind, id, name, matched, place, parent_id, address } = result;
  const { group: own, icon: Icon, href, formatPlace } = KINDS[kind];
  const where = place && formatPlace ? formatPlace(t, place) : place;
  const isOwnToken = kind === 'api_token' && parent_id === userId;
  const to = isOwnToken ? paths.account({ tab: 'tokens' }) : href(result, query.trim());
  const folded = foldText(query);
  const isExact = folded !== '' && [name, matched].some((text) => text !== null && foldText(text) === folded);
  return {
    id: `${kind}.${id}.${name}`,
    label: kind === 'vlan' ? t('VLAN {tag}', { tag: name }) : name,
    group: group ?? t(own),
    // A host name that matched is also part of the place.
    hint: [...new Set([matched ?? address, ...(where ?? '').split(' · '), group && t(own)])]
      .filter(Boolean)
      .join(' · '),
    found: similar ? 'similar' : isExact ? 'exact' : 'match',
    icon: <Icon />,
    run: () => open(to),
  };
}
