import { X509Certificate } from 'node:crypto';
import { parameterError } from '../pve-error';
import { common } from '../schema/formats';
import type { PveNode } from '../state/node';
import type { StatusDump } from '../state/status-cache';
import { type Call, mayAccess, type Route, requireAccess, textParam } from './route';

/** What `/nodes` and `/cluster/resources` report about a node; statistics only with `Sys.Audit` on it. */
export function nodeSummary(call: Call, node: PveNode, dump: StatusDump): Record<string, unknown> {
  const summary: Record<string, unknown> = {
    id: `node/${node.name}`,
    type: 'node',
    node: node.name,
    status: 'unknown',
  };
  const known = dump.nodes.get(node.name);
  if (!node.online) summary.status = 'offline';
  else if (known) {
    summary.status = 'online';
    summary.level = '';
    if (mayAccess(call, `/nodes/${node.name}`, ['Sys.Audit'])) {
      Object.assign(summary, known.statistics, { maxcpu: node.cores, maxmem: node.memory });
    }
  }
  return summary;
}

/** Distinguished names are printed on one line with slashes. */
const oneLine = (name: string) => `/${name.split('\n').join('/')}`;

function certificateInfo(filename: string, pem: string): Record<string, unknown> {
  const certificate = new X509Certificate(pem);
  const san = certificate.subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  return {
    filename,
    fingerprint: certificate.fingerprint256,
    issuer: oneLine(certificate.issuer),
    subject: oneLine(certificate.subject),
    notbefore: Math.floor(Date.parse(certificate.validFrom) / 1000),
    notafter: Math.floor(Date.parse(certificate.validTo) / 1000),
    pem,
    'public-key-type': 'id-ecPublicKey',
    'public-key-bits': 256,
    ...(san && { san }),
  };
}

function certificates({ cluster, node }: Call): unknown {
  const list = [certificateInfo('pve-root-ca.pem', cluster.authority.caPem)];
  if (node.certificate) list.push(certificateInfo('pve-ssl.pem', node.certificate.certPem));
  if (node.customCertificate) list.push(certificateInfo('pveproxy-ssl.pem', node.customCertificate.certPem));
  return list;
}

function nodeStatus(call: Call): unknown {
  const { node, cluster } = call;
  const known = cluster.status.dump(cluster.clock.now()).nodes.get(node.name)?.statistics;
  const used = known?.mem ?? 0;
  return {
    'boot-info': { mode: 'efi', secureboot: 0 },
    cpu: known?.cpu ?? 0,
    wait: 0,
    idle: 0,
    cpuinfo: { cores: node.cores / 2, cpus: node.cores, sockets: 1, model: 'AMD EPYC 7313P 16-Core Processor' },
    'current-kernel': {
      machine: 'x86_64',
      release: cluster.version.major === 9 ? '6.17.13-2-pve' : '6.8.12-15-pve',
      sysname: 'Linux',
      version: '#1 SMP PREEMPT_DYNAMIC',
    },
    kversion: `Linux ${cluster.version.major === 9 ? '6.17.13-2-pve' : '6.8.12-15-pve'} #1 SMP PREEMPT_DYNAMIC`,
    ksm: { shared: 0 },
    loadavg: ['0.41', '0.37', '0.30'],
    memory: { total: node.memory, used, free: node.memory - used, available: node.memory - used },
    pveversion: `pve-manager/${cluster.version.version}/${cluster.version.repoid}`,
    rootfs: { total: 96 * 1024 ** 3, used: 12 * 1024 ** 3, avail: 84 * 1024 ** 3, free: 84 * 1024 ** 3 },
    swap: { total: 8 * 1024 ** 3, used: 0, free: 8 * 1024 ** 3 },
    uptime: known?.uptime ?? 0,
  };
}

const UPID = /^UPID:[a-zA-Z0-9-]+:[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:[0-9A-Fa-f]{8}:[^:\s]+:[^:\s]*:[^:\s]+:$/;

function taskStatus(call: Call): unknown {
  const upid = textParam(call, 'upid');
  if (!UPID.test(upid)) throw parameterError({ upid: 'unable to parse worker upid' });
  const task = call.cluster.tasks.find(upid);
  if (!task) throw parameterError({ upid: 'no such task' });
  const { caller } = call;
  const own = task.user === caller.userId && task.tokenid === caller.tokenName;
  if (!own && !mayAccess(call, `/nodes/${call.node.name}`, ['Sys.Audit'])) {
    requireAccess(call, `/nodes/${call.node.name}`, ['Sys.Audit']);
  }
  return task;
}

export const nodeRoutes: Route[] = [
  {
    method: 'GET',
    pattern: '/nodes',
    params: {},
    proxied: false,
    handledBy: 'pveproxy',
    handle: (call) => {
      const dump = call.cluster.status.dump(call.cluster.clock.now());
      return [...call.cluster.nodes.values()].map((node) => ({
        ...nodeSummary(call, node, dump),
        ssl_fingerprint: node.servedCertificate?.fingerprint256,
      }));
    },
  },
  {
    method: 'GET',
    pattern: '/nodes/{node}/status',
    params: { node: common.node },
    permission: { path: '/nodes/{node}', anyOf: ['Sys.Audit'] },
    proxied: true,
    handledBy: 'pveproxy',
    handle: nodeStatus,
  },
  {
    method: 'GET',
    pattern: '/nodes/{node}/certificates/info',
    params: { node: common.node },
    proxied: true,
    handledBy: 'pveproxy',
    handle: certificates,
  },
  {
    method: 'GET',
    pattern: '/nodes/{node}/tasks/{upid}/status',
    params: { node: common.node, upid: { type: 'string' } },
    proxied: true,
    handledBy: 'pvedaemon',
    handle: taskStatus,
  },
];
