import type { CollectorState, FlowDiagnostics } from '@fabric/agent-contract';
import { msg, type Translate } from '@/lib/i18n/translator';

/** What is wrong with a collector and how it is mended; `command` is to be run as root on the node. */
export type Advice = { text: string; command?: string };

type Settings = Pick<FlowDiagnostics, 'nf_conntrack_acct'>;

const RESTART = 'systemctl restart fabric-agent';
const REINSTALL = msg(
  'Run a new install command on the node: it puts the unit with the rights it needs back in place.',
);
const withReinstall = (t: Translate, text: string) => `${text} ${t(REINSTALL)}`;
const doctor = (t: Translate): Advice => ({
  text: t('Ask the agent itself what is missing.'),
  command: 'fabric-agent doctor',
});

const count = ({ counts }: CollectorState, name: string) => counts?.[name] ?? 0;

function captureAdvice(t: Translate, collector: CollectorState): Advice[] {
  const { state, detail = '' } = collector;
  if (state === 'unavailable') {
    return [
      {
        text: withReinstall(
          t,
          t('Packets of guests are not counted; counters of interfaces stand in, without addresses.'),
        ),
        command: 'fabric-agent doctor',
      },
    ];
  }
  const advice: Advice[] = [];
  if (count(collector, 'kernel_drops') > 0) {
    advice.push({ text: t('The node was too busy to hand over every packet: traffic is shown lower than it was.') });
  }
  if (count(collector, 'table_full_packets') + count(collector, 'overflow_packets') > 0) {
    advice.push({
      text: t(
        'More conversations began between two looks than the table holds, as in a scan or a flood. Those packets count in total, but not by address. Look for the source among the denied flows.',
      ),
    });
  }
  if (state === 'degraded' && advice.length === 0)
    advice.push({ ...doctor(t), command: 'journalctl -u fabric-agent -n 50' });
  if (/\bon 0 interfaces/.test(detail)) {
    advice.push({
      text: t(
        'There is no interface of a guest to look at: no guest runs here, or interfaces have other names than tap<vmid>i<n> and veth<vmid>i<n>.',
      ),
      command: 'ip -br link',
    });
  }
  if (detail.startsWith('ring')) {
    advice.push({
      text: withReinstall(t, t("The way that costs more is used, because the kernel's own counting is not allowed.")),
    });
  }
  return advice;
}

function conntrackAdvice(t: Translate, { state }: CollectorState, { nf_conntrack_acct }: Settings): Advice[] {
  const advice: Advice[] = [];
  if (state === 'unavailable') {
    advice.push({ text: withReinstall(t, t('Tracked connections cannot be read.')), command: 'fabric-agent doctor' });
  } else if (state === 'degraded') {
    advice.push({ text: withReinstall(t, t('Tracked connections are read in a way that costs more.')) });
  }
  if (nf_conntrack_acct === false) {
    advice.push({
      text: t('Connections have no byte counters. Once switched on, new connections have them.'),
      command: 'sysctl -w net.netfilter.nf_conntrack_acct=1',
    });
  }
  return advice;
}

function kernelLogAdvice(t: Translate, { state }: CollectorState): Advice[] {
  if (state === 'unavailable') {
    return [{ text: withReinstall(t, t('The kernel log cannot be read: packets that other rules log are missing.')) }];
  }
  return state === 'degraded'
    ? [{ text: t('The kernel wrote faster than the log holds; lines were lost. Let rules log less, or with a limit.') }]
    : [];
}

function firewallLogAdvice(t: Translate, { state, detail = '' }: CollectorState): Advice[] {
  if (state === 'unavailable' && detail.includes('does not exist')) {
    return [
      {
        text: t(
          'The hypervisor has logged nothing yet: the file appears with the first packet. Set a log level on a rule, or log_level_in in the options of a guest’s firewall. Until then drops are not seen.',
        ),
      },
    ];
  }
  if (state === 'unavailable') {
    return [{ text: t('The agent may not read the log.'), command: `usermod -aG adm fabric-agent && ${RESTART}` }];
  }
  return state === 'degraded'
    ? [
        {
          text: t(
            'The log was rotated away before it was read: lines were lost. See that it is not rotated more than once a minute.',
          ),
        },
      ]
    : [];
}

/** What an administrator can do about a collector; empty when nothing is wrong. */
export function collectorAdvice(t: Translate, collector: CollectorState, settings: Settings): Advice[] {
  switch (collector.name) {
    case 'packet_capture':
      return captureAdvice(t, collector);
    case 'conntrack':
      return conntrackAdvice(t, collector, settings);
    case 'kernel_log':
      return kernelLogAdvice(t, collector);
    case 'firewall_log':
      return firewallLogAdvice(t, collector);
    default:
      return collector.state === 'degraded' || collector.state === 'unavailable' ? [doctor(t)] : [];
  }
}
