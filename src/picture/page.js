/* SPDX-License-Identifier: LGPL-2.1-only */
(function () {
'use strict';
var XHTML = 'http://www.w3.org/1999/xhtml', SVG = 'http://www.w3.org/2000/svg';

function make(tag, parent, text) {
	var e = document.createElementNS(XHTML, tag);
	if (text !== undefined)
		e.textContent = text;
	if (parent)
		parent.appendChild(e);
	return e;
}

function tools(before) {
	var e = make('div');
	e.className = 'tools';
	before.parentNode.insertBefore(e, before);
	return e;
}

function search_box(parent, label, changed) {
	var l = make('label', parent, label + ' '), input = make('input', l);
	input.type = 'search';
	input.addEventListener('input', function () { changed(input.value); });
	return input;
}

/* --- tables: sort by a column, filter rows --- */

function compare(a, b) {
	var x = a.key, y = b.key, n = Number(x), m = Number(y);
	if (x !== '' && y !== '' && !isNaN(n) && !isNaN(m))
		return n - m || a.at - b.at;
	return x < y ? -1 : x > y ? 1 : a.at - b.at;
}

function sort_rows(table, column, descending) {
	var body = table.tBodies[0], rows = [].map.call(body.rows, function (row, i) {
		var cell = row.cells[column];
		return { row: row, at: i, key: cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent };
	});
	rows.sort(function (a, b) { return descending ? compare(b, a) : compare(a, b); });
	rows.forEach(function (r) { body.appendChild(r.row); });
}

function make_sortable(table) {
	var heads = [].slice.call(table.tHead.rows[0].cells);
	heads.forEach(function (th, column) {
		var button = make('button', null, th.textContent);
		button.type = 'button';
		th.textContent = '';
		th.appendChild(button);
		button.addEventListener('click', function () {
			var old = th.getAttribute('aria-sort');
			var descending = old ? old === 'ascending' : th.className === 'n';
			heads.forEach(function (other) { other.removeAttribute('aria-sort'); });
			th.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
			sort_rows(table, column, descending);
		});
	});
}

function make_filter(table) {
	var rows = [].slice.call(table.tBodies[0].rows), box = tools(table.parentNode.parentNode.querySelector('.more') || table.parentNode), count, input;
	function apply(text) {
		var n = 0, want = text.toLowerCase();
		rows.forEach(function (row) {
			var show = row.textContent.toLowerCase().indexOf(want) >= 0;
			row.hidden = !show;
			n += show;
		});
		table.classList.toggle('filtered', want !== '');
		count.textContent = want ? n + ' of ' + rows.length + ' rows' : '';
	}
	input = search_box(box, 'Filter rows', apply);
	count = make('output', box);
	table.filterBy = function (text) { input.value = text; apply(text); };
}

/* --- flame graphs: zoom, search, arrow keys --- */

function flame(svg) {
	var alone = document.documentElement === svg, out = null, focus = 0;
	var frames = [].map.call(svg.querySelectorAll('svg.f'), function (e) {
		var title = e.querySelector('title').textContent;
		return { e: e, x: parseFloat(e.getAttribute('x')), w: parseFloat(e.getAttribute('width')),
			y: parseFloat(e.getAttribute('y')), title: title, name: title.slice(0, title.lastIndexOf(': ')) };
	}), eps = 0.0002;

	function label(f, width) {
		var text = f.e.querySelector('text'), wide = width / 100 * (svg.clientWidth || 1000) > 25;
		if (wide && !text) {
			text = document.createElementNS(SVG, 'text');
			text.setAttribute('x', 3);
			text.setAttribute('y', 12);
			text.textContent = f.name;
			f.e.appendChild(text);
		} else if (!wide && text) {
			text.remove();
		}
	}

	function within(f, g) { return g.x >= f.x - eps && g.x + g.w <= f.x + f.w + eps; }

	function say(text) {
		if (out)
			out.textContent = text;
	}

	function zoom(f) {
		frames.forEach(function (g) {
			var up = g.y > f.y && within(g, f), shown = up || (g.y <= f.y && within(f, g));
			g.e.setAttribute('display', shown ? 'inline' : 'none');
			g.e.classList.toggle('up', up);
			if (!shown)
				return;
			g.e.setAttribute('x', up ? '0%' : (g.x - f.x) / f.w * 100 + '%');
			g.e.setAttribute('width', up ? '100%' : g.w / f.w * 100 + '%');
			label(g, up ? 100 : g.w / f.w * 100);
		});
		say(f.title);
	}

	function search(text) {
		var want = text.toLowerCase(), sum = 0, n = 0, end = -1;
		frames.forEach(function (f) {
			f.hit = want !== '' && f.name.toLowerCase().indexOf(want) >= 0;
			f.e.classList.toggle('hit', f.hit);
			n += f.hit;
		});
		frames.filter(function (f) { return f.hit; }).sort(function (a, b) { return a.x - b.x || b.w - a.w; })
			.forEach(function (f) {
				if (f.x < end - eps)
					return;
				sum += f.w;
				end = f.x + f.w;
			});
		say(want ? n + ' frames match, ' + sum.toFixed(1) + '% of the whole' : '');
	}

	function point(i) {
		frames[focus].e.classList.remove('at');
		focus = i;
		frames[i].e.classList.add('at');
		say(frames[i].title);
	}

	function nearest(down, step) {
		var f = frames[focus], best = -1;
		frames.forEach(function (g, i) {
			if (g.e.getAttribute('display') === 'none')
				return;
			if (down > 0 && g.y > f.y && within(g, f) && (best < 0 || g.y < frames[best].y))
				best = i;
			if (down < 0 && g.y < f.y && within(f, g) && (best < 0 || g.y > frames[best].y ||
					(g.y === frames[best].y && g.w > frames[best].w)))
				best = i;
			if (step > 0 && g.y === f.y && g.x > f.x && (best < 0 || g.x < frames[best].x))
				best = i;
			if (step < 0 && g.y === f.y && g.x < f.x && (best < 0 || g.x > frames[best].x))
				best = i;
		});
		if (best >= 0)
			point(best);
	}

	if (!frames.length)
		return;
	frames.forEach(function (f, i) {
		f.e.addEventListener('click', function () { point(i); zoom(f); });
		label(f, f.w);
	});
	svg.setAttribute('tabindex', 0);
	svg.addEventListener('keydown', function (e) {
		var keys = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
		if (keys)
			nearest(keys[0], keys[1]);
		else if (e.key === 'Enter')
			zoom(frames[focus]);
		else if (e.key === 'Escape')
			zoom(frames[0]);
		else if (e.key === '/' && alone)
			search(prompt('Search for a frame') || '');
		else
			return;
		e.preventDefault();
	});
	if (!alone) {
		var box = tools(svg);
		search_box(box, 'Search frames', search);
		out = make('output', box);
	}
}

/* --- heat maps: a cell filters the table by its row; arrow keys --- */

function heat(svg) {
	var group = svg.closest('.group'), next = group && group.querySelector('table.rows'), focus = -1, out;
	var cells = [].map.call(svg.querySelectorAll('rect[class]'), function (e) {
		return { e: e, x: parseFloat(e.getAttribute('x')), y: parseFloat(e.getAttribute('y')) };
	});

	function point(i) {
		if (focus >= 0)
			cells[focus].e.classList.remove('at');
		focus = i;
		cells[i].e.classList.add('at');
		out.textContent = cells[i].e.querySelector('title').textContent;
	}

	function filter(key) {
		if (next && next.filterBy)
			next.filterBy(key);
	}

	/* The nearest cell to that side; up and down the nearest row first. */
	function nearest(dx, dy) {
		var f = cells[focus], best = -1, least = Infinity;
		cells.forEach(function (c, i) {
			var x = c.x - f.x, y = c.y - f.y;
			var far = dx ? Math.abs(x) : Math.abs(y) * 1e4 + Math.abs(x);
			if ((dx ? y === 0 && x * dx > 0 : y * dy > 0) && far < least) {
				least = far;
				best = i;
			}
		});
		if (best >= 0)
			point(best);
	}

	if (!cells.length)
		return;
	var readout = tools(svg.parentNode);
	readout.className = 'readout';
	out = make('output', readout);
	cells.forEach(function (c, i) {
		c.e.addEventListener('click', function () {
			point(i);
			if (c.e.dataset.key !== undefined)
				filter(c.e.dataset.key);
		});
	});
	svg.setAttribute('tabindex', 0);
	svg.addEventListener('keydown', function (e) {
		var keys = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[e.key];
		if (keys && focus < 0)
			point(0);
		else if (keys)
			nearest(keys[0], keys[1]);
		else if (e.key === 'Enter' && focus >= 0 && cells[focus].e.dataset.key !== undefined)
			filter(cells[focus].e.dataset.key);
		else if (e.key === 'Escape')
			filter('');
		else
			return;
		e.preventDefault();
	});
}

/* --- commands: a button copies one --- */

function make_copy(code) {
	var button = make('button', null, 'copy');
	code.parentNode.insertBefore(button, code);
	button.type = 'button';
	code.parentNode.classList.add('button');
	button.addEventListener('click', function () {
		navigator.clipboard.writeText(code.textContent).then(function () {
			button.textContent = 'copied';
			setTimeout(function () { button.textContent = 'copy'; }, 1500);
		});
	});
}

if (navigator.clipboard)
	[].forEach.call(document.querySelectorAll('td.c code'), make_copy);
[].forEach.call(document.querySelectorAll('table.rows'), function (table) {
	make_sortable(table);
	make_filter(table);
});
[].forEach.call(document.querySelectorAll('svg.flame'), flame);
[].forEach.call(document.querySelectorAll('svg.heat'), heat);
}());
