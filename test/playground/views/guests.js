// A view on the class App of @modelcontextprotocol/ext-apps. It runs in a browser; the tests bundle it into its page.
import { App } from '@modelcontextprotocol/ext-apps';

const byId = id => document.getElementById(id);
const app = new App({ name: 'Guest list', version: '1.0.0' });

app.ontoolinput = ({ arguments: args }) => {
  byId('evening').textContent = args.evening;
};
app.ontoolresult = ({ structuredContent }) => show(structuredContent.guests);
app.ontoolcancelled = ({ reason }) => {
  byId('count').textContent = `cancelled: ${reason}`;
};
app.onhostcontextchanged = dress;
app.onteardown = async () => {
  await app.sendLog({ level: 'info', data: 'goodbye' });
  return {};
};

byId('add').addEventListener('submit', async event => {
  event.preventDefault();
  const name = byId('name').value;
  byId('note').textContent = '';
  try {
    const { structuredContent } = await app.callServerTool({ name: 'invite', arguments: { name } });
    show(structuredContent.guests);
    byId('name').value = '';
  } catch (error) {
    byId('note').textContent = error.message;
  }
});
byId('map').addEventListener('click', () => app.openLink({ url: 'https://bistro.example/map' }));
byId('say').addEventListener('click', () =>
  app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'Seat them by the window.' }] }),
);

function show(guests) {
  byId('count').textContent = `${guests.length} guests`;
  byId('guests').replaceChildren(
    ...guests.map(guest => {
      const item = document.createElement('li');
      item.textContent = guest;
      return item;
    }),
  );
}

function dress({ theme = 'light', styles = {} } = {}) {
  document.documentElement.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles.variables ?? {}))
    document.documentElement.style.setProperty(name, value);
}

await app.connect();
dress(app.getHostContext());
