/** The interfaces in a guest's config text, parsed as plainly as possible: an oracle that shares no code. */
export function parseNet(config: string) {
  const live = config.split(/^\[/m)[0] ?? '';
  return [...live.matchAll(/^(net\d+): (.*)$/gm)]
    .map(([, name = '', value = '']) => ({
      name,
      mac: /(?:[0-9A-F]{2}:){5}[0-9A-F]{2}/i.exec(value)?.[0].toLowerCase(),
      bridge: /bridge=([^,]+)/.exec(value)?.[1],
      firewall: /firewall=1/.test(value),
      vlan_tag: Number(/(?:^|,)tag=(\d+)/.exec(value)?.[1] ?? 0) || null,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
