// The filter, as the server applies it: it sends few of the running transfers, so it filters before it cuts. The page
// filters what it has at once, until the server's answer arrives.

const fields = {
  client: (one) => [one.client, one.mac],
  file: (one) => [one.path, one.resolved],
};

const inText = (texts, word) => texts.filter(Boolean).join('\n').toLowerCase().includes(word);

const fits = (one, word) => {
  const at = word.indexOf(':');
  const [key, value] = [word.slice(0, Math.max(at, 0)), word.slice(at + 1)];
  if (fields[key]) return inText(fields[key](one), value);
  if (key === 'root') return (one.resolved ?? '').toLowerCase().startsWith(`${value}:`);
  // Each of these concerns one of the two tables, and leaves the other as it is.
  if (key === 'outcome') return one.outcome === undefined || one.outcome === value;
  if (key === 'state') return one.outcome !== undefined || value === (one.idle_seconds >= 3 ? 'stuck' : 'moving');
  const all = [one.client, one.mac, one.class, one.listener, one.server, one.operation, one.path, one.resolved, one.verdict_by, one.outcome, one.detail, ...(one.tried ?? []), one.facts?.labels, one.id];
  return inText(all, word);
};

// Returns whether all words match, which are in lower case.
export const matches = (one, words) => words.every((word) => fits(one, word));
