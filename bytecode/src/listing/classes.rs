//! Lists classes, their instances and interface slots as tables.

use crate::container::ClassLinkage;
use std::fmt::{self, Write};

/// Writes the tables.
pub fn write(out: &mut String, linkage: &ClassLinkage) -> fmt::Result {
    out.push_str("//\n// Available Class Types:\n//\n");
    out.push_str("// Name                             ID CB Stride Texture Sampler\n");
    out.push_str("// ------------------------------ ---- --------- ------- -------\n");
    for (id, class) in linkage.classes.iter().enumerate() {
        let (vectors, textures, samplers) = (class.vectors, class.textures, class.samplers);
        writeln!(out, "// {:<30} {id:>4} {vectors:>9} {textures:>7} {samplers:>7}", class.name)?;
    }
    out.push_str("//\n");

    if !linkage.instances.is_empty() {
        out.push_str("// Available Class Instances:\n//\n");
        out.push_str("// Name                        Type CB CB Offset Texture Sampler\n");
        out.push_str("// --------------------------- ---- -- --------- ------- -------\n");
        for instance in &linkage.instances {
            let register = |number: Option<u16>| number.map_or("-".to_owned(), |number| number.to_string());
            let vector = instance.constant_buffer.map(|_| instance.vector);
            let [buffer, vector, texture, sampler] =
                [instance.constant_buffer, vector, instance.texture, instance.sampler].map(register);
            let class = instance.class;
            let name = match instance.count {
                1 => instance.name.clone(),
                count => format!("{}[{count}]", instance.name),
            };
            writeln!(out, "// {name:<27} {class:>4} {buffer:>2} {vector:>9} {texture:>7} {sampler:>7}")?;
        }
        out.push_str("//\n");
    }
    write_slots(out, linkage)
}

fn write_slots(out: &mut String, linkage: &ClassLinkage) -> fmt::Result {
    const RULE: &str = "// +----------+---------+---------------------------------------\n";
    let total: u32 = linkage.slots.iter().map(|record| record.count).sum();
    write!(out, "// Interface slots, {total} total:\n//\n//             Slots\n{RULE}")?;
    for record in &linkage.slots {
        let range = match record.count {
            0 | 1 => record.first.to_string(),
            count => format!("{}-{}", record.first, record.first + count - 1),
        };
        write!(out, "// | Type ID  |   {range:<6}|")?;
        record.choices.iter().try_for_each(|choice| write!(out, "{:<5}", choice.class))?;
        out.push_str("\n// | Table ID |         |");
        record.choices.iter().try_for_each(|choice| write!(out, "{:<5}", choice.table))?;
        write!(out, "\n{RULE}")?;
    }
    Ok(())
}
