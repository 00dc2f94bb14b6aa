//! Plots as SVG, on logarithmic axes: one configuration against another, and how many instances are solved in how much
//! time. The text is small and stands for itself, so that it can be put into a page.

use std::fmt::Write;

const SIZE: f64 = 360.0;
const MARGIN: f64 = 50.0;
/// Numbers along the axis of instances, about.
const TICKS: usize = 7;
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999", "#6a3d9a",
    "#b15928",
];

/// A point of a scatter plot.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// What it is about.
    pub name: String,
    /// To the right; `None` if there is no figure, which is drawn at the edge.
    pub x: Option<f64>,
    /// Upwards.
    pub y: Option<f64>,
}

/// A line of a cactus plot: what each solved instance took.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What it is about.
    pub name: String,
    /// In any order.
    pub values: Vec<f64>,
}

/// A logarithmic axis over whole powers of ten.
struct Axis {
    least: i32,
    most: i32,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        for value in values.filter(|value| *value > 0.0) {
            let power = value.log10();
            least = least.min(power.floor() as i32);
            most = most.max(power.ceil() as i32);
        }
        if least > most { Self { least: 0, most: 1 } } else { Self { least, most: most.max(least + 1) } }
    }
    /// How far along the axis a value is, from 0 to 1; the edge for nothing.
    fn at(&self, value: Option<f64>) -> f64 {
        let Some(value) = value else { return 1.0 };
        let power = value.max(10f64.powi(self.least)).log10();
        (power - f64::from(self.least)) / f64::from(self.most - self.least)
    }
    fn powers(&self) -> impl Iterator<Item = i32> + use<> {
        self.least..=self.most
    }
}

/// A text that is safe within SVG and HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn x(part: f64) -> f64 {
    MARGIN + part * (SIZE - MARGIN - 10.0)
}

fn y(part: f64) -> f64 {
    SIZE - MARGIN - part * (SIZE - MARGIN - 10.0)
}

fn power(exponent: i32) -> String {
    match exponent {
        0..=3 => 10u32.pow(exponent.unsigned_abs()).to_string(),
        -3..=-1 => format!("{}", 10f64.powi(exponent)),
        _ => format!("1e{exponent}"),
    }
}

/// The frame, the names of the axes, and a grid along those that are logarithmic.
fn frame(svg: &mut String, names: (&str, &str), across: Option<&Axis>, up: &Axis) {
    let (left, right, bottom, top) = (x(0.0), x(1.0), y(0.0), y(1.0));
    let _ = write!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>",
        right - left,
        bottom - top
    );
    for exponent in across.iter().flat_map(|axis| axis.powers().map(move |e| (e, axis))) {
        let (exponent, axis) = exponent;
        let at = x(axis.at(Some(10f64.powi(exponent))));
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{bottom}\" x2=\"{at:.1}\" y2=\"{top}\" stroke=\"#eee\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 14.0,
            power(exponent)
        );
    }
    for exponent in up.powers() {
        let at = y(up.at(Some(10f64.powi(exponent))));
        let _ = write!(
            svg,
            "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#eee\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 4.0,
            at + 4.0,
            power(exponent)
        );
    }
    let (middle, below) = (x(0.5), SIZE - 12.0);
    let _ = write!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{below}\" text-anchor=\"middle\">{}</text>\
         <text transform=\"translate(12 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        escaped(names.0),
        y(0.5),
        escaped(names.1)
    );
}

fn svg(title: &str, width: f64, content: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {SIZE}\" width=\"{width}\" \
         height=\"{SIZE}\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\"><title>{}</title>{content}</svg>",
        escaped(title)
    )
}

/// One configuration against another; below the diagonal the second one is better. What has no figure is at the edge,
/// in another colour.
pub fn scatter(title: &str, names: (&str, &str), points: &[Point]) -> String {
    let axis = Axis::over(points.iter().flat_map(|point| [point.x, point.y]).flatten());
    let mut content = String::new();
    frame(&mut content, names, Some(&axis), &axis);
    let _ = write!(
        content,
        "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#888\" stroke-dasharray=\"4\"/>",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    for point in points {
        let _ = write!(
            content,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{}\" fill-opacity=\"0.6\"><title>{}</title></circle>",
            x(axis.at(point.x)),
            y(axis.at(point.y)),
            COLOURS[usize::from(point.x.is_none() || point.y.is_none())],
            escaped(&point.name)
        );
    }
    svg(title, SIZE, &content)
}

/// How many instances are solved within how much.
pub fn cactus(title: &str, name: &str, series: &[Series]) -> String {
    let axis = Axis::over(series.iter().flat_map(|series| series.values.iter().copied()));
    let most = series.iter().map(|series| series.values.len()).max().unwrap_or(0).max(1);
    let mut content = String::new();
    frame(&mut content, ("instances solved", name), None, &axis);
    for solved in (0..=most).step_by(most.div_ceil(TICKS)) {
        let (at, below) = (x(solved as f64 / most as f64), y(0.0) + 14.0);
        let _ = write!(content, "<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{solved}</text>");
    }
    for (number, series) in series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let mut values = series.values.clone();
        values.sort_by(f64::total_cmp);
        let points: Vec<String> = (1..)
            .zip(&values)
            .map(|(solved, value)| {
                let part = f64::from(solved) / most as f64;
                format!("{:.1},{:.1}", x(part), y(axis.at(Some(*value))))
            })
            .collect();
        let below = 14.0 * number as f64 + 20.0;
        let _ = write!(
            content,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <rect x=\"{SIZE}\" y=\"{}\" width=\"10\" height=\"3\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"{below}\">{} ({})</text>",
            points.join(" "),
            below - 5.0,
            SIZE + 14.0,
            escaped(&series.name),
            values.len()
        );
    }
    svg(title, SIZE + 130.0, &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_span_whole_powers() {
        let axis = Axis::over([3.0, 4000.0, 0.0].into_iter());
        assert_eq!((axis.least, axis.most), (0, 4));
        assert!((axis.at(Some(100.0)) - 0.5).abs() < 1e-9);
        assert_eq!((axis.at(None), axis.at(Some(0.0))), (1.0, 0.0));
        let one = Axis::over([10.0].into_iter());
        assert!(one.most > one.least);
        let none = Axis::over(std::iter::empty());
        assert_eq!((none.least, none.most), (0, 1));
    }

    #[test]
    fn names_are_escaped_and_every_point_is_there() {
        let points = [("a<b", Some(1.0), None), ("c", Some(10.0), Some(10.0))].map(|(name, x, y)| Point {
            name: name.into(),
            x,
            y,
        });
        let plot = scatter("t", ("h & g", "h"), &points);
        assert_eq!(plot.matches("<circle").count(), 2);
        assert!(plot.contains("a&lt;b") && plot.contains("h &amp; g") && !plot.contains("a<b"));
        // Three equal steps to the right, and the first one of the slower series is higher.
        let series = [vec![1.0, 1.0, 1.0], vec![100.0]].map(|values| Series { name: "s".into(), values });
        let plot = cactus("t", "seconds", &series);
        assert_eq!(plot.matches("<polyline").count(), 2);
        assert!(plot.contains("s (3)") && plot.contains("s (1)") && plot.contains(">2</text>"));
    }
}
