// Follows the stream of snapshots, and reconnects when it breaks.

// A snapshot arrives each second; after this silence, in ms, the connection counts as dead.
const SILENCE = 6000;
const PAUSES = [500, 1000, 2000, 5000];

// Ends the present connection, because other rows are wanted; the next one follows at once.
let renew = () => {};
export const again = () => renew();

// Calls `onChange({ state, … })` with `live` and a snapshot, `lost` and the reason, or `locked` when a token is needed.
// Never ends. `token()` returns the token, `unlocked()` a promise of a new one, `rows()` the wanted rows as pairs of the
// query.
export const follow = async (onChange, token, unlocked, rows) => {
  for (let failed = 0; ; ) {
    try {
      const renewed = await read((snapshot) => {
        failed = 0;
        onChange({ state: 'live', snapshot });
      }, token(), rows());
      if (renewed) continue;
      onChange({ state: 'lost', reason: 'the server ended the stream' });
    } catch (error) {
      if (error.status === 401) {
        onChange({ state: 'locked' });
        await unlocked();
        continue;
      }
      onChange({ state: 'lost', reason: error.message });
    }
    const pause = PAUSES[Math.min(failed, PAUSES.length - 1)];
    failed += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};

// The page at /?servers=all shows all servers that publish on the same subject.
const ALL = new URLSearchParams(location.search).get('servers') === 'all' ? [['servers', 'all']] : [];

// Returns true if it ended because other rows are wanted.
const read = async (each, token, rows) => {
  const abort = new AbortController();
  let [timer, renewed] = [undefined, false];
  renew = () => {
    renewed = true;
    abort.abort();
  };
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), SILENCE);
  };
  alive();
  try {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const query = new URLSearchParams([...ALL, ...rows]).toString();
    const answer = await fetch(`/api/live${query && `?${query}`}`, { headers, signal: abort.signal, cache: 'no-store' });
    if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return renewed;
      alive();
      const events = (rest + value).split('\n\n');
      rest = events.pop();
      for (const event of events) {
        if (event.startsWith('data: ')) each(JSON.parse(event.slice(6)));
      }
    }
  } catch (error) {
    if (renewed) return true;
    if (error.status) throw error;
    throw new Error(abort.signal.aborted ? 'nothing came for some seconds' : 'the server does not answer');
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
};
